// Periodic motions: which numbers of the last node follow from those of the first. Half a cycle
// ends as it begins with left and right exchanged, by the endings of names, and with some
// coordinates reversed.
#include <ctype.h>
#include <string.h>

#include "design/collocate/collocation.h"

static lb_status unknown(lb_place place, const char* key, const char* name, const char* what,
                         lb_error* err) {
  return lb_error_add(err, LB_INVALID, place,
                      "collocate: '%s' names '%s', and there is no %s so "
                      "called",
                      key, name, what);
}

// --- the mirror ---

// Length of a name without the number of a joint's coordinate: JOINT.NUMBER.
static size_t stem(const char* name) {
  const size_t whole = strlen(name);
  size_t n = whole;
  while (n > 0 && isdigit((unsigned char)name[n - 1])) {
    n--;
  }
  return n > 1 && n < whole && name[n - 1] == '.' ? n - 1 : whole;
}

// Is `b` the image of `a`, whose name ends with `from`?
static bool is_image(const char* a, const char* b, const char* from, const char* to) {
  const size_t n = stem(a), m = stem(b), f = strlen(from), t = strlen(to);
  return n >= f && m >= t && n - f == m - t && memcmp(a + n - f, from, f) == 0 &&
         memcmp(b + m - t, to, t) == 0 && memcmp(a, b, n - f) == 0 && strcmp(a + n, b + m) == 0;
}

static bool ends_with(const char* name, const char* end) {
  const size_t n = stem(name), e = strlen(end);
  return n >= e && memcmp(name + n - e, end, e) == 0;
}

typedef const char* name_of(const lb_collocating* C, int k);

static const char* coordinate(const lb_collocating* C, int k) {
  return C->out->coordinate[k];
}
static const char* control(const lb_collocating* C, int k) {
  return C->out->control[k].name;
}
static const char* state(const lb_collocating* C, int k) {
  return C->m->muscle.item[C->state[k].muscle].name;
}

static bool same_kind(const lb_collocating* C, name_of* name, int a, int b) {
  return name == control ? C->out->control[a].kind == C->out->control[b].kind
         : name == state ? C->state[a].fiber == C->state[b].fiber
                         : true;
}

// Partners of `count` numbers from `first` on.
static lb_status pair(lb_collocating* C, name_of* name, int first, int count, lb_error* err) {
  const lb_scene_collocate* set = C->set;
  for (int a = 0; a < count; a++) {
    const char* const n = name(C, a);
    for (int side = 0; side < 2; side++) {
      const char *from = set->mirror[side], *to = set->mirror[!side];
      int b = 0;
      if (!ends_with(n, from)) {
        continue;
      }
      while (b < count && !(same_kind(C, name, a, b) && is_image(n, name(C, b), from, to))) {
        b++;
      }
      if (b == count) {
        return lb_error_add(err, LB_INVALID, set->place,
                            "collocate, 'mirror': '%s' ends with '%s' and has no partner that ends "
                            "with '%s'",
                            n, from, to);
      }
      C->image[first + a] = first + b;
      break; // one ending may be the end of the other
    }
  }
  return LB_OK;
}

static lb_status reverse(lb_collocating* C, const lb_scene_name* name, lb_error* err) {
  const lb_node_layout* L = &C->at;
  bool any = false;
  for (int v = 0; v < L->nv; v++) {
    if (strcmp(C->out->coordinate[v], name->name) == 0) {
      C->sign[L->q + v] = C->sign[L->v + v] = -1;
      any = true;
    }
  }
  for (int i = 0; i < L->nu && any; i++) { // what acts on it alone
    const lb_control* c = &C->out->control[i];
    const int v = c->kind == LB_CONTROL_MOTOR     ? C->m->motor.v[c->index]
                  : c->kind == LB_CONTROL_RESERVE ? c->index
                                                  : -1;
    if (v >= 0 && strcmp(C->out->coordinate[v], name->name) == 0) {
      C->sign[L->u + i] = -1;
    }
  }
  return any ? LB_OK : unknown(name->place, "reversed", name->name, "coordinate", err);
}

static lb_status find_images(lb_collocating* C, lb_error* err) {
  const lb_node_layout* L = &C->at;
  lb_status status = pair(C, coordinate, L->q, L->nv, err);
  status = status == LB_OK ? pair(C, coordinate, L->v, L->nv, err) : status;
  status = status == LB_OK ? pair(C, state, L->x, L->nx, err) : status;
  status = status == LB_OK ? pair(C, control, L->u, L->nu, err) : status;
  bool any = false;
  for (int k = 0; k < L->nv; k++) {
    any |= C->image[L->q + k] != L->q + k;
  }
  if (status == LB_OK && !any) {
    return lb_error_add(err, LB_INVALID, C->set->place,
                        "collocate, 'mirror': no coordinate has a name that ends with '%s' or '%s'",
                        C->set->mirror[0], C->set->mirror[1]);
  }
  for (int i = 0; i < C->set->nreversed && status == LB_OK; i++) {
    status = reverse(C, &C->set->reversed[i], err);
  }
  return status;
}

// --- what travels ---

static lb_status let_travel(lb_collocating* C, lb_error* err) {
  const lb_scene_name* name = &C->set->travels;
  const lb_model* m = C->m;
  bool any = false;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      const int v = m->joint.v[j] + k;
      if (strcmp(m->joint.name[j], name->name) == 0 ||
          strcmp(C->out->coordinate[v], name->name) == 0) {
        C->sign[C->at.q + v] = 0;
        any = true;
      }
    }
  }
  return any ? LB_OK : unknown(name->place, "travels", name->name, "joint or coordinate", err);
}

// Coordinates, velocities, states of muscles and controls.
lb_status lb_collocation_list_periodic(lb_collocating* C, lb_error* err) {
  const lb_node_layout* L = &C->at;
  C->periodic = LB_TAKE(&C->arena, lb_periodic, L->count);
  C->image = LB_TAKE(&C->arena, int, L->count);
  C->sign = LB_TAKE(&C->arena, int, L->count);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  for (int k = 0; k < L->count; k++) {
    C->image[k] = k;
    C->sign[k] = 1;
  }
  lb_status status = C->set->mirror[0] ? find_images(C, err) : LB_OK;
  if (status == LB_OK && C->set->travels.name) {
    status = let_travel(C, err);
  }
  for (int k = 0; k < L->l && C->set->periodic && status == LB_OK; k++) {
    const bool listed = k < L->a || k >= L->u;
    if (listed && C->sign[k] != 0) {
      C->periodic[C->nperiodic++] = (lb_periodic){k, C->image[k], C->sign[k]};
    }
  }
  return status;
}
