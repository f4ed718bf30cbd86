// Motions and forces for inverse dynamics, from tables. Columns are found by their names, so that
// any order and further columns do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/inverse/number_table.h"
#include "dynamics/joint/joint.h"
#include "limber/inverse.h"
#include "math/curve/time_profile.h"
#include "scene/yaml/names.h"

enum { NAME_SIZE = 128 };

static lb_status lack(const char* path, lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){path, 0, 0}, "there is not enough memory");
}

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

// A column that should be there for `owner`, with the nearest that is: of those that `counts`,
// unless that is NULL.
static lb_status no_column(const lb_numbers* n, const char* name, const char* owner,
                           bool (*counts)(const char* heading), lb_error* err) {
  lb_nearest nearest = lb_nearest_to(name);
  for (int i = 1; i < n->ncolumn; i++) {
    if (!counts || counts(n->name[i])) {
      lb_nearest_offer(&nearest, n->name[i]);
    }
  }
  const char* near = nearest.best;
  return lb_error_add(err, LB_INVALID, n->place[0], "there is no column '%s' for %s%s%s%s", name,
                      owner, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
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
      return no_column(n, name, owner, NULL, err);
    }
    const lb_status status = lb_numbers_take(n, column, out + i, width, err);
    if (status != LB_OK) {
      return status;
    }
    if (n->kind == LB_TABLE_MOTION) {
      turn_degrees(n, m, v, out + i, width);
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

static void hold(const lb_model* m, lb_joint_motion* x, int q, int v) {
  x->held = x->nheld++ ? x->held : m->dof.name[v];
  for (int i = 0; i < x->nsample; i++) {
    x->q[(size_t)i * (size_t)m->nq + (size_t)q] = m->start.q[q];
  }
}

// Coordinates that the table has not: locked and coupled ones follow from the others, and the rest
// stays as it is at the start, as OpenSim's tools have it. Of some at least there must be columns.
static lb_status complete_motion(const lb_numbers* n, const lb_model* m, lb_joint_motion* x,
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
    return no_column(n, x->held, owner, NULL, err);
  }
  return LB_OK;
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

static lb_status take_motion(const lb_numbers* n, const lb_model* m, lb_joint_motion* x,
                             lb_error* err) {
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

static lb_status read_motion(const char* path, const lb_model* m, lb_arena* arena,
                             lb_joint_motion* x, lb_error* err) {
  lb_numbers n;
  const lb_status status = lb_numbers_read(path, "motion", arena, &n, err);
  if (status != LB_OK) {
    return status;
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
  return lb_arena_status(arena) == LB_OK ? take_motion(&n, m, x, err) : lack(path, err);
}

lb_status lb_joint_motion_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_joint_motion** motion,
                               lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_joint_motion* x = LB_TAKE(&arena, lb_joint_motion, 1);
  lb_status status = x ? read_motion(path, model, &arena, x, err) : lack(path, err);
  if (status == LB_OK && !(x->storage = lb_arena_keep(&arena))) {
    status = lack(path, err);
  }
  if (status == LB_OK) {
    *motion = x;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

void lb_joint_motion_release(lb_joint_motion* motion) {
  if (motion) {
    lb_arena_release_kept(motion->storage);
  }
}

// --- forces ---

static const char* const PART[] = {"fx", "fy", "fz", "mx", "my", "mz", "px", "py", "pz"};
enum { NPART = sizeof PART / sizeof *PART, FORCE = 0, POINT = 6 };

// The columns of a body's force, moment and point, -1 where there is none; how many there are.
static int find_columns(const lb_numbers* n, const char* body, int column[NPART]) {
  int count = 0;
  for (int k = 0; k < NPART; k++) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.64s.%s", body, PART[k]);
    column[k] = lb_numbers_column(n, name);
    count += column[k] >= 0;
  }
  return count;
}

// Force f at p with moment m: about the world's origin that is f, m + p x f.
static lb_status take_wrench(const lb_numbers* n, const int column[NPART], double* wrench,
                             int width, double* scratch, lb_error* err) {
  for (int k = 0; k < NPART; k++) {
    for (int i = 0; i < n->nrow; i++) {
      scratch[(size_t)i * NPART + (size_t)k] = 0;
    }
    const lb_status status =
        column[k] < 0 ? LB_OK : lb_numbers_take(n, column[k], scratch + k, NPART, err);
    if (status != LB_OK) {
      return status;
    }
  }
  for (int i = 0; i < n->nrow; i++) {
    const double* x = scratch + (size_t)i * NPART;
    const lb_vec3 f = {x[0], x[1], x[2]}, moment = {x[3], x[4], x[5]}, p = {x[6], x[7], x[8]};
    const lb_vec3 about = lb_vec3_add(moment, lb_vec3_cross(p, f));
    const double made[6] = {f.x, f.y, f.z, about.x, about.y, about.z};
    memcpy(wrench + (size_t)i * (size_t)width, made, sizeof made);
  }
  return LB_OK;
}

// Dot in a heading that ends as those of forces do, or NULL.
static const char* find_part(const char* heading) {
  const char* dot = strrchr(heading, '.');
  for (int k = 0; dot && k < NPART; k++) {
    if (strcmp(dot + 1, PART[k]) == 0) {
      return dot;
    }
  }
  return NULL;
}

static bool is_further(const char* heading) {
  return !find_part(heading);
}

// The three columns from `first` on, which are a body's `what`.
static lb_status check_three(const lb_numbers* n, const char* body, const char* what, int first,
                             const int column[NPART], lb_error* err) {
  for (int k = first; k < first + 3; k++) {
    if (column[k] < 0) {
      char name[NAME_SIZE], owner[NAME_SIZE];
      snprintf(name, sizeof name, "%.64s.%s", body, PART[k]);
      snprintf(owner, sizeof owner, "the %s on body '%.64s', which needs %s, %s and %s", what, body,
               PART[first], PART[first + 1], PART[first + 2]);
      return no_column(n, name, owner, is_further, err);
    }
  }
  return LB_OK;
}

// Parts of a moment that are left out are zero, as of a plate that only twists; of a point they
// would put the force elsewhere.
static lb_status check_columns(const lb_numbers* n, const char* body, const int column[NPART],
                               lb_error* err) {
  const lb_status status = check_three(n, body, "force", FORCE, column, err);
  const bool point = column[POINT] >= 0 || column[POINT + 1] >= 0 || column[POINT + 2] >= 0;
  return status == LB_OK && point ? check_three(n, body, "point", POINT, column, err) : status;
}

// Further columns do no harm, but a force that goes to a misspelt body would be lost.
static lb_status check_bodies(const lb_numbers* n, const lb_model* m, lb_error* err) {
  for (int i = 1; i < n->ncolumn; i++) {
    const char* dot = find_part(n->name[i]);
    char body[NAME_SIZE];
    bool known = !dot;
    snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - n->name[i]) : 0, n->name[i]);
    lb_nearest nearest = lb_nearest_to(body);
    for (int b = 0; b < m->nbody; b++) {
      known = known || strcmp(m->body.name[b], body) == 0;
      lb_nearest_offer(&nearest, m->body.name[b]);
    }
    if (!known && nearest.best) {
      return lb_error_add(err, LB_INVALID, n->place[i],
                          "column '%s' belongs to no body of the scene (did you mean '%s%s'?)",
                          n->name[i], nearest.best, dot);
    }
  }
  return LB_OK;
}

static lb_status no_body(const lb_numbers* n, lb_error* err) {
  return lb_error_add(err, LB_INVALID, n->place[n->ncolumn > 1],
                      "no column belongs to a body of the scene (call them NAME.fx, NAME.fy and "
                      "NAME.fz by the bodies' names)");
}

static lb_status read_forces(const char* path, const lb_model* m, lb_arena* arena,
                             lb_outer_forces* x, lb_error* err) {
  lb_numbers n;
  lb_status status = lb_numbers_read(path, "table of forces", arena, &n, err);
  status = status == LB_OK ? check_bodies(&n, m, err) : status;
  if (status != LB_OK) {
    return status;
  }
  int column[NPART];
  int* body = LB_TAKE(arena, int, m->nbody);
  *x = (lb_outer_forces){.nsample = n.nrow, .body = body};
  for (int b = 0; body && b < m->nbody; b++) {
    if (find_columns(&n, m->body.name[b], column) > 0) {
      body[x->nbody++] = b;
    }
  }
  if (body && x->nbody == 0) {
    return no_body(&n, err);
  }
  const size_t rows = (size_t)n.nrow;
  double* scratch = LB_TAKE(arena, double, rows* NPART);
  x->time = LB_TAKE(arena, double, rows);
  x->wrench = LB_TAKE(arena, double, rows * 6 * (size_t)x->nbody);
  if (lb_arena_status(arena) != LB_OK) {
    return lack(path, err);
  }
  status = lb_numbers_take(&n, 0, x->time, 1, err);
  for (int i = 0; i < x->nbody && status == LB_OK; i++) {
    const char* name = m->body.name[body[i]];
    find_columns(&n, name, column);
    status = check_columns(&n, name, column, err);
    status = status != LB_OK
                 ? status
                 : take_wrench(&n, column, x->wrench + 6 * i, 6 * x->nbody, scratch, err);
  }
  return status;
}

lb_status lb_outer_forces_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_outer_forces** forces,
                               lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_outer_forces* x = LB_TAKE(&arena, lb_outer_forces, 1);
  lb_status status = x ? read_forces(path, model, &arena, x, err) : lack(path, err);
  if (status == LB_OK && !(x->storage = lb_arena_keep(&arena))) {
    status = lack(path, err);
  }
  if (status == LB_OK) {
    *forces = x;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

void lb_outer_forces_release(lb_outer_forces* forces) {
  if (forces) {
    lb_arena_release_kept(forces->storage);
  }
}
