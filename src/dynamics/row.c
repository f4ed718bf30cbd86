// Constraints: the table of their kinds, the frames they are about, and their share of a data
// block.
#include "dynamics/row.h"

#include <math.h>

#include "dynamics/kinematics.h"
#include "dynamics/kkt.h"
#include "elastic/reduced.h"
#include "model/pose.h"

// Those of joints come first, so that their numbers depend on nothing else.
static const lb_row_kind* const KINDS[] = {&lb_rows_loop, &lb_rows_guide, &lb_rows_relation};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

int lb_loops_most_rows(const lb_model* m) {
  int sum = 0;
  for (int i = 0; i < NKIND; i++) {
    sum += KINDS[i]->most(m);
  }
  return sum;
}

int lb_loops_one_way(const lb_model* m) {
  for (int i = 0; i < m->nguide; i++) {
    if (m->guide[i].one_way) {
      return m->guide[i].loop;
    }
  }
  for (int i = 0; i < m->nrelation; i++) {
    if (m->relation[i].one_way) {
      return m->nloop + i;
    }
  }
  return -1;
}

int lb_loops_paced(const lb_model* m) {
  for (int i = 0; i < m->nguide; i++) {
    const lb_model_guide* g = &m->guide[i];
    if (g->rates[0] || g->rates[1] || g->rates[2] || g->angle_rates) {
      return g->loop;
    }
  }
  for (int i = 0; i < m->nrelation; i++) {
    if (m->relation[i].rates) {
      return m->nloop + i;
    }
  }
  return -1;
}

static lb_frame make_frame(const lb_model* m, int body, int face, lb_transform in_body) {
  const lb_anchor at = lb_model_anchor(m, body, face, in_body);
  return (lb_frame){at.link, lb_m3_from(lb_quat_matrix(at.X.q)), lb_v4_from(at.X.p)};
}

bool lb_loops_are_dense(const lb_model* m) {
  static const size_t MOST_NUMBERS = 1 << 22;
  const size_t n = (size_t)lb_loops_most_rows(m), nv = (size_t)m->nv;
  return !lb_kkt_fits(m) || n * nv + 2 * n * n + nv * nv <= MOST_NUMBERS;
}

lb_status lb_loops_check_dense(const lb_model* m, const char* what, lb_error* err) {
  return lb_loops_are_dense(m)
             ? LB_OK
             : lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                            "'%s' has %d velocities and up to %d constraints, too many for %s",
                            m->name, m->nv, lb_loops_most_rows(m), what);
}

lb_loops* lb_loops_lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv;
  const size_t n = (size_t)lb_loops_most_rows(m);
  if (n == 0) {
    return NULL;
  }
  lb_loops* L = lb_carve(c, 1, sizeof *L);
  lb_loops loops = {0};
  loops.frame = lb_carve(c, 2 * (size_t)m->nloop, sizeof *loops.frame);
  loops.row = lb_carve(c, n, sizeof *loops.row);
  loops.left_out = lb_carve(c, n, sizeof(bool));
  loops.length = lb_carve(c, n, sizeof(double));
  loops.touching = lb_carve(c, n, sizeof(bool));
  loops.near = lb_carve(c, n, sizeof(bool));
  loops.x = lb_carve(c, n, sizeof(double));
  loops.sum = lb_carve(c, n, sizeof(double));
  loops.b = lb_carve(c, n, sizeof(double));
  loops.dq = lb_carve(c, nv, sizeof(double));
  loops.total = lb_carve(c, nv, sizeof(double));
  loops.q = lb_carve(c, (size_t)m->nq, sizeof(double));
  loops.aside = lb_carve(c, (size_t)m->nq, sizeof(double));
  loops.given = lb_carve(c, (size_t)m->nq + nv, sizeof(double));
  loops.base = lb_carve(c, (size_t)m->nq, sizeof(double));
  loops.kept = lb_carve(c, nv, sizeof(bool));
  loops.change = lb_carve(c, nv, sizeof(double));
  loops.held = lb_carve(c, (size_t)m->gearing.count * nv, sizeof(double));
  loops.gear = lb_carve(c, (size_t)m->gearing.count, sizeof(double));
  loops.pull = lb_carve(c, (size_t)m->nlink, sizeof *loops.pull);
  loops.work = lb_carve(c, 4 * n, sizeof(double));
  loops.pivot = lb_carve(c, 2 * n, sizeof(int));
  loops.pushes = lb_carve(c, n, sizeof(bool));
  loops.lands = lb_carve(c, n, sizeof(bool));
  loops.paced = lb_carve(c, n, sizeof(bool));
  if (lb_loops_are_dense(m)) {
    loops.M = lb_carve(c, (size_t)m->ndense * (size_t)m->ndense, sizeof(double));
    loops.Jt = lb_carve(c, n * nv, sizeof(double));
    loops.A = lb_carve(c, n * n, sizeof(double));
    loops.part = lb_carve(c, n * n, sizeof(double));
  }
  if (!L) {
    return NULL;
  }
  *L = loops;
  L->own = -1;
  for (int i = 0; i < m->nloop; i++) {
    const lb_scene_joint* j = &m->loop[i];
    const lb_transform turn = lb_joint_turn(j);
    L->frame[2 * i] = make_frame(m, j->parent, j->face, lb_transform_mul(j->in_parent, turn));
    L->frame[2 * i + 1] =
        make_frame(m, j->child, j->child_face, lb_transform_mul(j->in_child, turn));
  }
  return L;
}

bool lb_loops_gear(lb_data* d, bool geared) {
  lb_loops* L = d->work->loops;
  const bool was = L && L->geared;
  if (L) {
    L->geared = geared;
  }
  return was;
}

// --- frames ---

lb_frame_motion lb_frame_move(const lb_work* work, const lb_frame* f) {
  const lb_state* s = &work->state[f->link];
  const lb_v4 arm = lb_m3_apply(s->R, f->p);
  const lb_v4 spin = lb_v4_cross(s->w, arm);
  return (lb_frame_motion){.R = lb_m3_mul(s->R, f->R),
                           .p = s->p + arm,
                           .v = s->v + spin,
                           .a = s->a + lb_v4_cross(s->al, arm) + lb_v4_cross(s->w, spin),
                           .w = s->w,
                           .al = s->al};
}

lb_v4 lb_rotation_between(const lb_frame_motion* a, const lb_frame_motion* b, bool axes_only) {
  if (axes_only) {
    const lb_v4 t = lb_v4_cross(a->R.z, b->R.z);
    const double sine = sqrt(lb_v4_dot(t, t));
    const double angle = atan2(sine, lb_v4_dot(a->R.z, b->R.z));
    return sine > 0 ? t * (angle / sine) : a->R.x * angle;
  }
  const lb_m3 Rt = lb_m3_transpose(a->R);
  const lb_vec3 v = lb_quat_log(lb_quat_from_matrix(lb_m3_mat3(lb_m3_mul(Rt, b->R))));
  return lb_m3_apply(a->R, lb_v4_from(v));
}

double lb_hinge_angle(const lb_frame_motion* a, const lb_frame_motion* b) {
  return atan2(lb_v4_dot(b->R.x, a->R.y), lb_v4_dot(b->R.x, a->R.x));
}

void lb_cross_angles(const lb_frame_motion* a, const lb_frame_motion* b, double angle[2]) {
  angle[0] = lb_hinge_angle(a, b);
  angle[1] = atan2(lb_v4_dot(lb_v4_cross(a->R.z, b->R.z), b->R.x), lb_v4_dot(a->R.z, b->R.z));
}

// --- rows ---

void lb_path_wish(const lb_profile* path, bool rates, double time, double want[3]) {
  double value[3];
  if (path) {
    lb_profile_evaluate(path, time, value);
    want[0] = rates ? want[0] : value[0];
    want[1] = value[rates ? 0 : 1];
    want[2] = value[rates ? 1 : 2];
  }
}

void lb_row_add(lb_loops* L, lb_row row) {
  row.number = L->counted++;
  if ((L->both_ways && row.one_way) || (L->left_out[row.number] && !L->every) ||
      (L->joints && row.motor >= 0)) {
    return;
  }
  row.contact = row.one_way ? L->ncontact++ : -1;
  row.place = L->nrow;
  L->row[L->nrow++] = row;
}

void lb_rows_fill(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  lb_move_origins(m, d->work, d->qd);
  L->nrow = L->ncontact = L->counted = 0;
  for (int i = 0; i < (L->joints ? 1 : NKIND); i++) {
    KINDS[i]->add(m, d);
  }
}

void lb_rows_keep_acting(lb_loops* L) {
  int n = 0;
  if (L->ncontact == 0 || L->all) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].one_way || L->touching[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

int lb_loops_count(const lb_data* d) {
  return d->work->loops ? d->work->loops->nrow : 0;
}

lb_loop_row lb_loops_row(const lb_data* d, int i) {
  const lb_loops* L = d->work->loops;
  const lb_row* r = &L->row[i];
  const int loop = r->a ? (int)(r->a - L->frame) / 2 : -1;
  return (lb_loop_row){.loop = loop,
                       .relation = r->relation,
                       .sign = r->sign,
                       .motor = r->motor,
                       .paced = r->rate_only,
                       .kind = r->kind,
                       .e = r->e,
                       .spin = r->spin,
                       .gap = r->c,
                       .rate = r->cd,
                       .acceleration = r->cdd,
                       .pushes = r->one_way};
}

lb_loop_end lb_loops_end(const lb_data* d, int loop, int side) {
  const lb_frame* f = &d->work->loops->frame[2 * loop + side];
  const lb_frame_motion at = lb_frame_move(d->work, f);
  return (lb_loop_end){f->link, at.R, at.p, at.v, at.w, at.a, at.al};
}
