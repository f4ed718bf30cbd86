// Constraints: the table of their kinds, the frames they are about, and their share of a data
// block.
#include "dynamics/constraint/constraint_rows.h"

#include <math.h>

#include "dynamics/constraint/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/reduced/reduced.h"
#include "model/use/initial_pose.h"

// Those of joints come first, so that their numbers depend on nothing else.
static const lb_constraint_type* const KINDS[] = {
    &lb_constraint_type_loop, &lb_constraint_type_prescribed, &lb_constraint_type_coupling};
enum { NKIND = sizeof KINDS / sizeof *KINDS };

int lb_constraints_most(const lb_model* m) {
  int sum = 0;
  for (int i = 0; i < NKIND; i++) {
    sum += KINDS[i]->most(m);
  }
  return sum;
}

int lb_constraints_unilateral(const lb_model* m) {
  for (int i = 0; i < m->nprescribed; i++) {
    if (m->prescribed[i].unilateral) {
      return m->prescribed[i].loop;
    }
  }
  for (int i = 0; i < m->ncoupling; i++) {
    if (m->coupling[i].unilateral) {
      return m->nloop + i;
    }
  }
  return -1;
}

int lb_constraints_velocity_level(const lb_model* m) {
  for (int i = 0; i < m->nprescribed; i++) {
    const lb_model_prescribed* g = &m->prescribed[i];
    if (g->velocity_level[0] || g->velocity_level[1] || g->velocity_level[2] ||
        g->angle_velocity_level) {
      return g->loop;
    }
  }
  for (int i = 0; i < m->ncoupling; i++) {
    if (m->coupling[i].velocity_level) {
      return m->nloop + i;
    }
  }
  return -1;
}

static lb_frame make_frame(const lb_model* m, int body, int face, lb_transform in_body) {
  const lb_anchor at = lb_model_anchor(m, body, face, in_body);
  return (lb_frame){at.link, lb_m3_from(lb_quat_matrix(at.X.q)), lb_v4_from(at.X.p)};
}

bool lb_constraints_are_dense(const lb_model* m) {
  static const size_t MOST_NUMBERS = 1 << 22;
  const size_t n = (size_t)lb_constraints_most(m), nv = (size_t)m->nv;
  return !lb_kkt_fits(m) || n * nv + 2 * n * n + nv * nv <= MOST_NUMBERS;
}

lb_status lb_constraints_check_dense(const lb_model* m, const char* what, lb_error* err) {
  return lb_constraints_are_dense(m)
             ? LB_OK
             : lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                            "'%s' has %d velocities and up to %d constraints, too many for %s",
                            m->name, m->nv, lb_constraints_most(m), what);
}

lb_constraints* lb_constraints_lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv;
  const size_t n = (size_t)lb_constraints_most(m);
  if (n == 0) {
    return NULL;
  }
  lb_constraints* L = lb_carve(c, 1, sizeof *L);
  lb_constraints constraints = {0};
  constraints.frame = lb_carve(c, 2 * (size_t)m->nloop, sizeof *constraints.frame);
  constraints.row = lb_carve(c, n, sizeof *constraints.row);
  constraints.redundant = lb_carve(c, n, sizeof(bool));
  constraints.length = lb_carve(c, n, sizeof(double));
  constraints.active = lb_carve(c, n, sizeof(bool));
  constraints.near = lb_carve(c, n, sizeof(bool));
  constraints.x = lb_carve(c, n, sizeof(double));
  constraints.sum = lb_carve(c, n, sizeof(double));
  constraints.b = lb_carve(c, n, sizeof(double));
  constraints.dq = lb_carve(c, nv, sizeof(double));
  constraints.total = lb_carve(c, nv, sizeof(double));
  constraints.q = lb_carve(c, (size_t)m->nq, sizeof(double));
  constraints.aside = lb_carve(c, (size_t)m->nq, sizeof(double));
  constraints.given = lb_carve(c, (size_t)m->nq + nv, sizeof(double));
  constraints.base = lb_carve(c, (size_t)m->nq, sizeof(double));
  constraints.kept = lb_carve(c, nv, sizeof(bool));
  constraints.change = lb_carve(c, nv, sizeof(double));
  constraints.held = lb_carve(c, (size_t)m->elimination.count * nv, sizeof(double));
  constraints.eliminated_multiplier = lb_carve(c, (size_t)m->elimination.count, sizeof(double));
  constraints.pull = lb_carve(c, (size_t)m->nlink, sizeof *constraints.pull);
  constraints.work = lb_carve(c, 4 * n, sizeof(double));
  constraints.pivot = lb_carve(c, 2 * n, sizeof(int));
  constraints.unilateral = lb_carve(c, n, sizeof(bool));
  constraints.inactive = lb_carve(c, n, sizeof(bool));
  constraints.velocity_level = lb_carve(c, n, sizeof(bool));
  if (lb_constraints_are_dense(m)) {
    constraints.M = lb_carve(c, (size_t)m->ndense * (size_t)m->ndense, sizeof(double));
    constraints.Jt = lb_carve(c, n * nv, sizeof(double));
    constraints.A = lb_carve(c, n * n, sizeof(double));
    constraints.part = lb_carve(c, n * n, sizeof(double));
  }
  if (!L) {
    return NULL;
  }
  *L = constraints;
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

bool lb_constraints_eliminate(lb_data* d, bool eliminated) {
  lb_constraints* L = d->work->constraints;
  const bool was = L && L->eliminated;
  if (L) {
    L->eliminated = eliminated;
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

void lb_path_target(const lb_profile* path, bool velocity_level, double time, double want[3]) {
  double value[3];
  if (path) {
    lb_profile_evaluate(path, time, value);
    want[0] = velocity_level ? want[0] : value[0];
    want[1] = value[velocity_level ? 0 : 1];
    want[2] = value[velocity_level ? 1 : 2];
  }
}

void lb_constraint_add(lb_constraints* L, lb_constraint row) {
  row.number = L->counted++;
  if ((L->both_ways && row.unilateral) || (L->redundant[row.number] && !L->every) ||
      (L->joints && row.motor >= 0)) {
    return;
  }
  row.contact = row.unilateral ? L->ncontact++ : -1;
  row.place = L->nrow;
  L->row[L->nrow++] = row;
}

void lb_constraint_rows_fill(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  lb_move_origins(m, d->work, d->qd);
  L->nrow = L->ncontact = L->counted = 0;
  for (int i = 0; i < (L->joints ? 1 : NKIND); i++) {
    KINDS[i]->add(m, d);
  }
}

void lb_constraint_rows_keep_active(lb_constraints* L) {
  int n = 0;
  if (L->ncontact == 0 || L->all) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].unilateral || L->active[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

int lb_constraints_count(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->nrow : 0;
}

lb_constraint_row lb_constraints_row(const lb_data* d, int i) {
  const lb_constraints* L = d->work->constraints;
  const lb_constraint* r = &L->row[i];
  const int loop = r->a ? (int)(r->a - L->frame) / 2 : -1;
  return (lb_constraint_row){.loop = loop,
                             .coupling = r->coupling,
                             .sign = r->sign,
                             .motor = r->motor,
                             .velocity_level = r->rate_only,
                             .kind = r->kind,
                             .e = r->e,
                             .spin = r->spin,
                             .gap = r->c,
                             .rate = r->cd,
                             .acceleration = r->cdd,
                             .unilateral = r->unilateral};
}

lb_loop_end lb_loop_end_of(const lb_data* d, int loop, int side) {
  const lb_frame* f = &d->work->constraints->frame[2 * loop + side];
  const lb_frame_motion at = lb_frame_move(d->work, f);
  return (lb_loop_end){f->link, at.R, at.p, at.v, at.w, at.a, at.al};
}
