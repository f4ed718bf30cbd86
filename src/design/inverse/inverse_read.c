// Motions for inverse dynamics, from tables. Columns are found by their names, so that
// any order and further columns do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "limber/inverse.h"
#include "math/curve/time_profile.h"
#include "scene/table/number_table.h"
#include "scene/yaml/names.h"

enum { NAME_SIZE = 128, FEW_EDITS = 3 };

// --- motions ---

// Heading of the column with this coordinate: as output/file/csv.c writes them.
static const char* heading(char* out, const lb_model* m, int joint, const char* word, int i,
                           int count) {
  const bool elastic = m->joint.kind[joint] >= LB_LINK_ELASTIC;
  const char* rest = elastic ? word + 1 : word;
  const char* first = elastic ? "e" : "";
  if (count == 1 && !elastic) {
    snprintf(out, NAME_SIZE, "%.64s.%s", m->joint.name[joint], rest);
  } else {
    snprintf(out, NAME_SIZE, "%.64s.%s%s%d", m->joint.name[joint], first, rest, i);
  }
  return out;
}

// Column of a joint's coordinate by its heading or, in tables of OpenSim's, by its name.
static int find_column(const lb_numbers* n, const lb_model* m, int joint, const char* word, int i,
                       int count) {
  char name[NAME_SIZE];
  const bool plain = m->joint.nq[joint] == m->joint.nv[joint];
  const int column = lb_numbers_column(n, heading(name, m, joint, word, i, count));
  return column < 0 && n->kind == LB_TABLE_MOTION && plain && strcmp(word, "qdd") != 0
             ? lb_motion_column(n, m->dof.name[m->joint.v[joint] + i], strcmp(word, "qd") == 0)
             : column;
}

// Angles in degrees.
static void turn_degrees(const lb_numbers* n, const lb_model* m, int v, double* out, int width) {
  const bool turns = n->degrees && m->dof.counts[v] == LB_COORDINATE_ANGLE;
  for (int i = 0; i < n->nrow && turns; i++) {
    out[(long)i * width] *= M_PI / 180;
  }
}

// Neighbouring numbers of that size are 0.1 apart: nothing that follows from them is any good.
static lb_status check_size(const lb_numbers* n, int column, const double* out, int width,
                            lb_error* err) {
  static const double MOST = 1e15; // rad, m
  for (int i = 0; i < n->nrow; i++) {
    if (fabs(out[(long)i * width]) > MOST) {
      return lb_error_add(err, LB_INVALID, (lb_place){n->file, n->line[i], 1},
                          "column '%.80s' has %g, which is too large for a coordinate of a joint",
                          n->name[column],
                          n->value[(size_t)i * (size_t)n->ncolumn + (size_t)column]);
    }
  }
  return LB_OK;
}

// The columns of one joint's coordinates into out[sample][width]; without them: an error where they
// are needed, else `*has` false.
static lb_status take_joint(const lb_numbers* n, const lb_model* m, int joint, const char* word,
                            int count, double* out, int width, bool* has, lb_error* err) {
  char name[NAME_SIZE];
  for (int i = 0; i < count; i++) {
    const int column = find_column(n, m, joint, word, i, count);
    const int v = m->joint.v[joint] + (i < m->joint.nv[joint] ? i : 0);
    if (column < 0) {
      if (!has && n->kind == LB_TABLE_MOTION && m->dof.name[v]) {
        for (int k = 0; k < n->nrow; k++) { // couplings may say it (complete_motion)
          out[i + (long)k * width] = NAN;
        }
        continue;
      }
      heading(name, m, joint, word, i, count);
      if (has) {
        *has = false;
        return LB_OK;
      }
      char owner[NAME_SIZE];
      snprintf(owner, sizeof owner, "joint '%.64s'", m->joint.name[joint]);
      return lb_numbers_lack(n, name, owner, NULL, err);
    }
    const lb_status status = lb_numbers_take(n, column, out + i, width, err);
    if (status != LB_OK) {
      return status;
    }
    if (n->kind == LB_TABLE_MOTION) {
      turn_degrees(n, m, v, out + i, width);
    }
    if (strcmp(word, "q") == 0 && check_size(n, column, out + i, width, err) != LB_OK) {
      return LB_INVALID;
    }
  }
  return LB_OK;
}

// --- coordinates that couplings say ---

// The only term of a coupling whose coordinate is not known, linear in it; -1: there is none.
static int find_unknown(const lb_model* m, const lb_model_coupling* r, const double* q) {
  int found = -1, count = 0;
  for (int i = r->first; i < r->first + r->count; i++) {
    if (isnan(q[m->constraint.term[i].q])) {
      found = m->constraint.term[i].curve || m->constraint.term[i].factor == 0 ? -1 : i;
      count++;
    }
  }
  return count == 1 && !r->unilateral && !r->path && r->motor < 0 ? found : -1;
}

static void solve_unknown(const lb_model* m, const lb_model_coupling* r, int unknown, double* q) {
  double rest = r->value;
  for (int i = r->first; i < r->first + r->count; i++) {
    const lb_model_term* t = &m->constraint.term[i];
    double f[3] = {q[t->q], 1, 0};
    if (i != unknown && t->curve) {
      lb_profile_evaluate(t->curve, q[t->q], f);
    }
    rest -= i == unknown ? 0 : t->factor * f[0];
  }
  const lb_model_term* t = &m->constraint.term[unknown];
  q[t->q] = rest / t->factor;
}

// The first coordinate of a coupling follows the others, whatever the table has: tools store it in
// units of their own.
static void forget_dependent(const lb_model* m, const lb_model_coupling* r, lb_joint_motion* x) {
  const lb_model_term* t = &m->constraint.term[r->first];
  bool known = r->count > 1 && !r->unilateral && !r->path && r->motor < 0 && !t->curve;
  for (int i = 1; i < r->count; i++) {
    known = known && !isnan(x->q[t[i].q]);
  }
  for (int i = 0; i < x->nsample && known; i++) {
    x->q[(size_t)i * (size_t)m->nq + (size_t)t->q] = NAN;
  }
}

// Coordinates that couplings say, sample by sample.
static void follow_couplings(const lb_model* m, lb_joint_motion* x) {
  for (int k = 0; k < m->constraint.ncoupling; k++) {
    forget_dependent(m, &m->constraint.coupling[k], x);
  }
  for (int i = 0; i < x->nsample; i++) {
    double* q = x->q + (size_t)i * (size_t)m->nq;
    for (int round = 0; round < m->constraint.ncoupling; round++) {
      for (int k = 0; k < m->constraint.ncoupling; k++) {
        const int unknown = find_unknown(m, &m->constraint.coupling[k], q);
        if (unknown >= 0) {
          solve_unknown(m, &m->constraint.coupling[k], unknown, q);
        }
      }
    }
  }
}

// --- columns that are misspelt ---

// Name of a coordinate in a heading: NAME or .../NAME/value; of its speed: NAME_u or
// .../NAME/speed. NULL: the heading is of another kind.
static const char* name_in(const lb_numbers* n, int column, bool rate) {
  const char *text = n->name[column], *end = strrchr(text, '/');
  const size_t size = strlen(text);
  if (!end) {
    const bool short_rate = size > 2 && strcmp(text + size - 2, "_u") == 0;
    return !rate ? text : short_rate ? lb_arena_text(n->arena, text, size - 2) : NULL;
  }
  const char* from = end;
  while (from > text && from[-1] != '/') {
    from--;
  }
  return strcmp(end, rate ? "/speed" : "/value") == 0
             ? lb_arena_text(n->arena, from, (size_t)(end - from))
             : NULL;
}

// Coordinate without a column that a name is near to, or NULL. Few edits only: files have columns
// for more than the model does, and long names of other things share most of their letters.
static const char* nearest_lacking(const lb_numbers* n, const lb_model* m, bool rate,
                                   const char* name) {
  lb_nearest nearest = lb_nearest_to(name);
  nearest.distance = nearest.distance < FEW_EDITS + 1 ? nearest.distance : FEW_EDITS + 1;
  for (int v = 0; v < m->nv; v++) {
    if (m->dof.name[v] && lb_motion_column(n, m->dof.name[v], rate) < 0) {
      lb_nearest_offer(&nearest, m->dof.name[v]);
    }
  }
  return nearest.best;
}

static lb_status note_column(lb_numbers* n, const lb_model* m, int column) {
  for (int rate = 0; rate < 2; rate++) {
    const char* name = name_in(n, column, rate);
    const char* near = name ? nearest_lacking(n, m, rate, name) : NULL;
    if (near) {
      return lb_numbers_note(n, n->place[column],
                             "column '%.100s' is not used (did you mean %s '%.100s'?)",
                             n->name[column], rate ? "the speed of" : "coordinate", near);
    }
  }
  return LB_OK;
}

// Columns of nothing in the model are no mistake. Those near to a coordinate that has none most
// likely are.
static lb_status note_misspelt(lb_numbers* n, const lb_model* m) {
  bool* used = LB_TAKE(n->arena, bool, n->ncolumn);
  lb_status status = used ? LB_OK : lb_table_lack(n->file, n->err);
  for (int i = 0; i < 2 * m->nv && used; i++) {
    const int column = lb_motion_column(n, m->dof.name[i / 2], i % 2);
    if (column >= 0) {
      used[column] = true;
    }
  }
  for (int c = 1; c < n->ncolumn && status == LB_OK; c++) {
    status = used[c] ? LB_OK : note_column(n, m, c);
  }
  return status;
}

static lb_status note_held(lb_numbers* n, const lb_joint_motion* x) {
  return x->nheld == 0
             ? LB_OK
             : lb_numbers_note(
                   n, n->place[0],
                   "the motion has no column for %d of the coordinates: '%.100s'%s at the start",
                   x->nheld, x->held,
                   x->nheld > 1 ? " and others stay as they are" : " stays as it is");
}

// Column of the largest angle that counts, -1: none. What couplings say is not the table's.
static int find_largest(const lb_numbers* n, const lb_model* m, const lb_joint_motion* x,
                        double* most) {
  int at = -1;
  *most = 0;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nq[j] && m->joint.nq[j] == m->joint.nv[j]; k++) {
      const int v = m->joint.v[j] + k;
      const bool turns = m->dof.counts[v] == LB_COORDINATE_ANGLE;
      const int column = turns ? lb_motion_column(n, m->dof.name[v], false) : -1;
      for (int i = 0; i < x->nsample && column >= 0; i++) {
        const double angle = fabs(x->q[(size_t)i * (size_t)m->nq + (size_t)(m->joint.q[j] + k)]);
        at = angle > *most ? column : at;
        *most = fmax(*most, angle);
      }
    }
  }
  return at;
}

// Angles as no joint turns them, or none that is worth a degree, are of the other unit most likely.
static lb_status note_unit(lb_numbers* n, const lb_model* m, const lb_joint_motion* x) {
  static const double FAR = 20, NEAR = 3.2; // as the table has them
  double most;
  const int at = find_largest(n, m, x, &most);
  most *= n->degrees ? 180 / M_PI : 1;
  if (at >= 0 && !n->degrees && most > FAR) {
    return lb_numbers_note(n, n->place[at],
                           "column '%.100s' goes to %.4g rad (are the angles in degrees? Say "
                           "'inDegrees=yes' in the header)",
                           n->name[at], most);
  }
  if (at >= 0 && n->degrees && !n->says_unit && most < NEAR) {
    return lb_numbers_note(n, n->place[at],
                           "no angle goes beyond the %.4g degrees of column '%.100s' (are they in "
                           "radians? Say 'inDegrees=no' in the header)",
                           most, n->name[at]);
  }
  return LB_OK;
}

static void hold(const lb_model* m, lb_joint_motion* x, int q, int v) {
  x->held = x->nheld++ ? x->held : m->dof.name[v];
  for (int i = 0; i < x->nsample; i++) {
    x->q[(size_t)i * (size_t)m->nq + (size_t)q] = m->start.q[q];
  }
}

// Coordinates that the table has not: locked and coupled ones follow from the others, and the rest
// stays as it is at the start, as OpenSim's tools have it. Of some at least there must be columns.
static lb_status complete_motion(lb_numbers* n, const lb_model* m, lb_joint_motion* x,
                                 lb_error* err) {
  int found = 0, missing = -1;
  for (int k = 0; k < m->nq; k++) {
    found += !isnan(x->q[k]);
  }
  follow_couplings(m, x);
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nq[j]; k++) {
      if (isnan(x->q[m->joint.q[j] + k])) {
        missing = missing < 0 ? j : missing;
        hold(m, x, m->joint.q[j] + k, m->joint.v[j] + k);
      }
    }
  }
  if (missing >= 0 && found == 0) {
    char owner[NAME_SIZE];
    snprintf(owner, sizeof owner, "joint '%.64s'", m->joint.name[missing]);
    return lb_numbers_lack(n, x->held, owner, NULL, err);
  }
  lb_status status = note_held(n, x);
  status = status == LB_OK ? note_misspelt(n, m) : status;
  return status == LB_OK ? note_unit(n, m, x) : status;
}

// Four zeros are no rotation.
static lb_status check_rotations(const lb_numbers* n, const lb_model* m, int joint, const double* q,
                                 lb_error* err) {
  const int at = lb_quaternion_at(m->joint.nq[joint], m->joint.nv[joint]);
  for (int i = 0; i < n->nrow && at >= 0; i++) {
    const double* u = q + (size_t)i * (size_t)m->nq + (size_t)(m->joint.q[joint] + at);
    if (!(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3] > 0)) {
      return lb_error_add(err, LB_INVALID, (lb_place){n->file, n->line[i], 1},
                          "the quaternion of joint '%s' (columns q%d to q%d) is zero, which is no "
                          "rotation (1, 0, 0, 0 is none at all)",
                          m->joint.name[joint], at, at + 3);
    }
  }
  return LB_OK;
}

static lb_status take_motion(lb_numbers* n, const lb_model* m, lb_joint_motion* x, lb_error* err) {
  lb_status status = lb_numbers_take(n, 0, x->time, 1, err);
  for (int j = 0; j < m->njoint; j++) {
    const int nq = m->joint.nq[j], nv = m->joint.nv[j];
    x->has_qd[j] = x->has_qdd[j] = true;
    const lb_status one[] = {
        take_joint(n, m, j, "q", nq, x->q + m->joint.q[j], m->nq, NULL, err),
        take_joint(n, m, j, "qd", nv, x->qd + m->joint.v[j], m->nv, &x->has_qd[j], err),
        take_joint(n, m, j, "qdd", nv, x->qdd + m->joint.v[j], m->nv, &x->has_qdd[j], err)};
    for (int i = 0; i < 3; i++) {
      status = status == LB_OK ? one[i] : status;
    }
    x->has_qdd[j] = x->has_qdd[j] && x->has_qd[j];
    status = status == LB_OK ? check_rotations(n, m, j, x->q, err) : status;
  }
  return status == LB_OK && n->kind == LB_TABLE_MOTION ? complete_motion(n, m, x, err) : status;
}

static lb_status read_motion(const char* path, const lb_model* m, int least, lb_arena* arena,
                             lb_joint_motion* x, lb_error* err) {
  lb_numbers n;
  lb_status status = lb_muscles_check_tendons(m, "a motion of joints", err);
  status = status == LB_OK
               ? lb_numbers_read_rows(path, "motion", (lb_place){0}, least, arena, &n, err)
               : status;
  if (status != LB_OK) {
    return status;
  }
  if (n.kind == LB_TABLE_MARKERS) {
    return lb_error_add(err, LB_INVALID, (lb_place){n.file, 1, 1},
                        "these are markers, no motion of joints (run 'limber ik' first)");
  }
  const size_t rows = (size_t)n.nrow;
  *x = (lb_joint_motion){.file = n.file,
                         .nsample = n.nrow,
                         .time = LB_TAKE(arena, double, rows),
                         .q = LB_TAKE(arena, double, rows*(size_t)m->nq),
                         .qd = LB_TAKE(arena, double, rows*(size_t)m->nv),
                         .qdd = LB_TAKE(arena, double, rows*(size_t)m->nv),
                         .has_qd = LB_TAKE(arena, bool, m->njoint),
                         .has_qdd = LB_TAKE(arena, bool, m->njoint)};
  status = lb_arena_status(arena) == LB_OK ? take_motion(&n, m, x, err) : lb_table_lack(path, err);
  x->nnote = n.nnote;
  x->note = n.note;
  return status;
}

static lb_status read_kept(const char* path, const lb_model* model, int least,
                           const lb_allocator* allocator, lb_joint_motion** motion, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_joint_motion* x = LB_TAKE(&arena, lb_joint_motion, 1);
  lb_status status = x ? read_motion(path, model, least, &arena, x, err) : lb_table_lack(path, err);
  void* storage = NULL;
  status = lb_table_keep(&arena, status, path, &storage, err);
  if (status == LB_OK) {
    x->storage = storage;
    *motion = x;
  }
  return status;
}

lb_status lb_joint_motion_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_joint_motion** motion,
                               lb_error* err) {
  return read_kept(path, model, 2, allocator, motion, err);
}

lb_status lb_joint_states_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_joint_motion** motion,
                               lb_error* err) {
  return read_kept(path, model, 1, allocator, motion, err);
}

void lb_joint_motion_release(lb_joint_motion* motion) {
  if (motion) {
    lb_arena_release_kept(motion->storage);
  }
}
