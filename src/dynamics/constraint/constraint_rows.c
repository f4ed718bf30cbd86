// Constraints: the table of their kinds, the frames they are about, and their share of a data
// block.
#include "dynamics/constraint/constraint_rows.h"

#include <math.h>

#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/reduced/reduced.h"
#include "model/use/compliance.h"
#include "model/use/initial_pose.h"

#define LB_TYPE(code, name) extern const lb_constraint_type lb_constraint_type_##name;
LB_CONSTRAINT_LIST(LB_TYPE)
#undef LB_TYPE
extern const lb_constraint_type lb_constraint_type_joint, lb_constraint_type_turn;

const lb_constraint_type* const lb_constraint_types[LB_CONSTRAINT_KINDS] = {
#define LB_TYPE(code, name) [code] = &lb_constraint_type_##name,
    LB_CONSTRAINT_LIST(LB_TYPE)
#undef LB_TYPE
        [LB_CONSTRAINT_JOINT] = &lb_constraint_type_joint,
    [LB_CONSTRAINT_TURN] = &lb_constraint_type_turn};

int lb_constraint_one_row(const lb_model* m, const lb_model_constraint* c) {
  (void)m;
  (void)c;
  return 1;
}

int lb_constraints_most(const lb_model* m) {
  int sum = 0;
  for (int i = 0; i < m->constraint.count; i++) {
    sum += lb_constraint_types[m->constraint.item[i].kind]->rows(m, &m->constraint.item[i]);
  }
  return sum;
}

int lb_constraints_unilateral(const lb_model* m) {
  int i = 0;
  while (i < m->constraint.count &&
         (!m->constraint.item[i].unilateral || lb_constraint_yields(&m->constraint.item[i]))) {
    i++;
  }
  return i < m->constraint.count ? i : -1;
}

int lb_constraints_velocity_level(const lb_model* m) {
  int i = 0;
  while (i < m->constraint.count && !m->constraint.item[i].velocity_level) {
    i++;
  }
  return i < m->constraint.count ? i : -1;
}

static lb_frame make_frame(const lb_model* m, int body, int face, lb_transform in_body) {
  const lb_anchor at = lb_model_anchor(m, body, face, in_body);
  return (lb_frame){at.link, lb_m3_rotation(at.X.q), lb_v4_from(at.X.p)};
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

void lb_constraints_unlatch(const lb_model* m, lb_constraints* L) {
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    L->state.latch[i] = NAN;
  }
}

lb_constraints* lb_constraints_lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv;
  const size_t n = (size_t)lb_constraints_most(m);
  if (n == 0) {
    return NULL;
  }
  const size_t nq = (size_t)m->nq, held = (size_t)m->constraint.elimination.count;
  lb_constraints* L = lb_carve(c, 1, sizeof *L);
  lb_constraints made = {.frame = lb_carve(c, 2 * (size_t)m->constraint.npair, sizeof *made.frame),
                         .row = lb_carve(c, n, sizeof *made.row),
                         .slope = lb_carve(c, (size_t)m->constraint.nterm, sizeof(double)),
                         .x = lb_carve(c, n, sizeof(double)),
                         .b = lb_carve(c, n, sizeof(double)),
                         .dq = lb_carve(c, nv, sizeof(double)),
                         .pull = lb_carve(c, (size_t)m->nlink, sizeof *made.pull),
                         .work = lb_carve(c, 4 * n, sizeof(double)),
                         .pivot = lb_carve(c, 2 * n, sizeof(int)),
                         .unilateral = lb_carve(c, n, sizeof(bool)),
                         .inactive = lb_carve(c, n, sizeof(bool)),
                         .velocity_level = lb_carve(c, n, sizeof(bool))};
  made.state =
      (lb_active_set){.active = lb_carve(c, n, sizeof(bool)),
                      .redundant = lb_carve(c, n, sizeof(bool)),
                      .latch = lb_carve(c, (size_t)m->constraint.ncoupling, sizeof(double)),
                      .length = lb_carve(c, n, sizeof(double)),
                      .own = -1};
  const size_t soft = m->constraint.ncompliant > 0 ? n : 0;
  made.compliant = (lb_compliant_rows){.row = soft ? lb_carve(c, soft, sizeof *made.row) : NULL,
                                       .force = lb_carve(c, soft, sizeof(double)),
                                       .rate = lb_carve(c, soft, sizeof(double))};
  made.closing = (lb_closing_work){.near = lb_carve(c, n, sizeof(bool)),
                                   .sum = lb_carve(c, n, sizeof(double)),
                                   .total = lb_carve(c, nv, sizeof(double)),
                                   .q = lb_carve(c, nq, sizeof(double)),
                                   .aside = lb_carve(c, nq, sizeof(double)),
                                   .given = lb_carve(c, nq + nv, sizeof(double)),
                                   .base = lb_carve(c, nq, sizeof(double)),
                                   .kept = lb_carve(c, nv, sizeof(bool))};
  if (lb_constraints_are_dense(m)) {
    made.dense =
        (lb_dense_rows){.M = lb_carve(c, (size_t)m->ndense * (size_t)m->ndense, sizeof(double)),
                        .Jt = lb_carve(c, n * nv, sizeof(double)),
                        .A = lb_carve(c, n * n, sizeof(double)),
                        .part = lb_carve(c, n * n, sizeof(double)),
                        .change = lb_carve(c, nv, sizeof(double)),
                        .held = lb_carve(c, held * nv, sizeof(double)),
                        .lambda = lb_carve(c, held, sizeof(double))};
  }
  if (!L) {
    return NULL;
  }
  *L = made;
  for (int i = 0; i < m->constraint.nterm; i++) {
    L->slope[i] = m->constraint.term[i].factor;
  }
  lb_constraints_unlatch(m, L);
  for (int i = 0; i < 2 * m->constraint.npair; i++) {
    const lb_model_constraint* at = &m->constraint.item[i / 2];
    L->frame[i] = make_frame(m, at->body[i % 2], at->face[i % 2], at->frame[i % 2]);
  }
  return L;
}

// --- constraints ---

void lb_path_target(const lb_profile* path, bool velocity_level, double time, double want[3]) {
  double value[3];
  if (path) {
    lb_profile_evaluate(path, time, value);
    want[0] = velocity_level ? want[0] : value[0];
    want[1] = value[velocity_level ? 0 : 1];
    want[2] = value[velocity_level ? 1 : 2];
  }
}

// True where a set leaves rows out by whether they yield; what a motor prescribes does not. Nothing
// starts with an impact on what is unilateral and yields.
static bool lacks(const lb_constraints* L, int traits) {
  const bool yields =
      L->adding->compliance[traits & LB_ROW_TURNS].stiffness > 0 && !(traits & LB_ROW_BY_MOTOR);
  const bool starts = L->set & LB_SET_COMPLIANT && !(traits & LB_ROW_UNILATERAL);
  return yields ? !starts && !(L->set & LB_SET_YIELDING) : L->set & LB_SET_YIELDING;
}

lb_constraint_row* lb_constraint_next(lb_constraints* L, int traits) {
  const int number = L->counted++;
  const bool unilateral = traits & LB_ROW_UNILATERAL;
  if ((L->set & LB_SET_BILATERAL && unilateral) ||
      (L->set & LB_SET_JOINTS && traits & LB_ROW_BY_MOTOR) ||
      (L->compliant.row && lacks(L, traits)) ||
      (L->state.redundant[number] && !(L->set & LB_SET_REDUNDANT))) {
    return NULL;
  }
  lb_constraint_row* row = &L->row[L->nrow];
  row->constraint = L->constraint;
  row->number = number;
  row->contact = unilateral ? L->ncontact++ : -1;
  row->place = L->nrow++;
  return row;
}

void lb_constraint_add(lb_constraints* L, const lb_constraint_row* row) {
  lb_constraint_row* to = lb_constraint_next(L, (row->turns ? LB_ROW_TURNS : 0) |
                                                    (row->unilateral ? LB_ROW_UNILATERAL : 0) |
                                                    (row->motor >= 0 ? LB_ROW_BY_MOTOR : 0));
  if (to) {
    const lb_constraint_row numbers = *to;
    *to = *row;
    to->constraint = numbers.constraint;
    to->number = numbers.number;
    to->contact = numbers.contact;
    to->place = numbers.place;
  }
}

static void keep_active(lb_constraints* L) {
  int n = 0;
  for (int i = 0; i < L->nrow; i++) {
    if (!L->row[i].unilateral || L->state.active[L->row[i].contact]) {
      L->row[n++] = L->row[i];
    }
  }
  L->nrow = n;
}

void lb_constraint_rows_fill(const lb_model* m, lb_data* d, lb_constraint_set set) {
  lb_constraints* L = d->work->constraints;
  lb_move_origins(m, d->work, d->qd);
  L->nrow = L->ncontact = L->counted = 0;
  L->set = set;
  for (int i = 0; i < (set & LB_SET_JOINTS ? m->constraint.nloop : m->constraint.count); i++) {
    L->constraint = i;
    L->adding = &m->constraint.item[i];
    lb_constraint_types[m->constraint.item[i].kind]->add(m, d, &m->constraint.item[i]);
  }
  if (L->ncontact > 0 && !(set & LB_SET_INACTIVE)) {
    keep_active(L);
  }
}

void lb_constraint_rows_fill_compliant(const lb_model* m, lb_data* d) {
  lb_constraints* L = d->work->constraints;
  const lb_constraints others = *L;
  lb_move_origins(m, d->work, d->qd);
  L->row = others.compliant.row;
  L->nrow = L->ncontact = L->counted = 0;
  L->set = LB_SET_YIELDING | LB_SET_REDUNDANT;
  for (int i = 0; i < m->constraint.count; i++) {
    const lb_model_constraint* c = L->adding = &m->constraint.item[i];
    const int first = L->counted;
    L->constraint = i;
    if (lb_constraint_yields(c)) {
      lb_constraint_types[c->kind]->add(m, d, c);
    }
    L->counted = first + lb_constraint_types[c->kind]->rows(m, c);
  }
  const int count = L->nrow;
  *L = others;
  L->compliant.count = count;
}

int lb_constraints_count(const lb_data* d) {
  return d->work->constraints ? d->work->constraints->nrow : 0;
}

const lb_constraint_row* lb_constraints_row(const lb_data* d, int i) {
  return &d->work->constraints->row[i];
}
