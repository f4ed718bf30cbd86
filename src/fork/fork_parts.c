#include "fork/fork_parts.h"

int lb_scene_carrier(const lb_scene* s, int body) {
  for (int i = 0; i < s->njoint; i++) {
    if (!s->joint[i].loop && s->joint[i].child == body) {
      return i;
    }
  }
  return -1;
}

// --- sets of bodies, the world being the first: [1 + nbody] ---

static int root(int* set, int i) {
  while (set[i] != i) {
    i = set[i] = set[set[i]];
  }
  return i;
}

static void unite(int* set, int a, int b) {
  a = root(set, a);
  b = root(set, b);
  set[a < b ? b : a] = a < b ? a : b; // the world stays a root
}

typedef struct search {
  lb_fork_parts* p;
  int* fixed; // bodies that move as one
  int* piece; // what is left without base and effectors
  lb_error* err;
} search;

static int group(const search* s, int body) {
  return root(s->fixed, 1 + body);
}

static bool is_fixed(const lb_scene_joint* j) {
  return !j->loop && j->kind == LB_JOINT_FIXED;
}

static lb_status find_groups(search* s, lb_arena* arena) {
  const lb_scene* scene = s->p->scene;
  s->fixed = LB_TAKE(arena, int, 1 + scene->nbody);
  s->piece = LB_TAKE(arena, int, 1 + scene->nbody);
  for (int i = 0; s->fixed && s->piece && i <= scene->nbody; i++) {
    s->fixed[i] = s->piece[i] = i;
  }
  for (int i = 0; s->fixed && s->piece && i < scene->njoint; i++) {
    const lb_scene_joint* j = &scene->joint[i];
    if (is_fixed(j)) {
      unite(s->fixed, 1 + j->parent, 1 + j->child);
    }
  }
  return lb_arena_status(arena);
}

// --- base and effectors ---

// The body that floats and carries an effector; LB_WORLD: none does.
static int floating(const lb_scene* s, int body) {
  int i = lb_scene_carrier(s, body);
  while (i >= 0 && s->joint[i].parent != LB_WORLD) {
    body = s->joint[i].parent;
    i = lb_scene_carrier(s, body);
  }
  return i < 0 || s->joint[i].kind == LB_JOINT_FREE ? body : LB_WORLD;
}

static lb_status find_base(search* s) {
  lb_fork_parts* p = s->p;
  const lb_scene_fork* what = p->what;
  p->base = what->base;
  for (int e = 0; e < what->neffector && what->free; e++) {
    const int found = floating(p->scene, what->effector[e].body);
    if (found == LB_WORLD || (e > 0 && found != p->base)) {
      return lb_error_add(s->err, LB_INVALID, what->effector[e].place,
                          "fork '%s': effector '%s' does not hang on the one body that floats, as "
                          "'base: free' asks (take 'base' away, or let that body have no joint)",
                          what->name, what->effector[e].name);
    }
    p->base = found;
  }
  return LB_OK;
}

static void mark(search* s, int of, lb_fork_side side) {
  for (int i = 0; i <= s->p->scene->nbody; i++) {
    if (root(s->fixed, i) == of) {
      s->p->side[i] = side;
    }
  }
}

static lb_status mark_ends(search* s) {
  lb_fork_parts* p = s->p;
  const lb_scene_fork* what = p->what;
  const int base = group(s, p->base);
  mark(s, base, LB_FORK_BASE);
  for (int e = 0; e < what->neffector; e++) {
    const int of = group(s, what->effector[e].body);
    if (of == base || of == 0) {
      return lb_error_add(s->err, LB_INVALID, what->effector[e].place,
                          "fork '%s': effector '%s' cannot move: it is fixed to %s (take it away, "
                          "or give it a joint that is free)",
                          what->name, what->effector[e].name, of == 0 ? "the world" : "its base");
    }
    mark(s, of, LB_FORK_EFFECTOR);
  }
  for (int i = 0; i < p->scene->nbody; i++) {
    p->effector[i] = -1;
    for (int e = what->neffector - 1; e >= 0; e--) {
      p->effector[i] = group(s, what->effector[e].body) == group(s, i) ? e : p->effector[i];
    }
  }
  return LB_OK;
}

// --- pieces between them ---

static bool is_end(const search* s, int i) {
  return root(s->fixed, i) == 0 || s->p->side[i] == LB_FORK_BASE ||
         s->p->side[i] == LB_FORK_EFFECTOR;
}

// Ends that a piece hangs on: none, one of them, or several.
enum { NONE = -1, SEVERAL = -2 };

static void hang(search* s, int* on, bool* moves, int piece, int end) {
  if (is_end(s, piece) || !is_end(s, end) || s->p->side[end] == LB_FORK_OUTSIDE) {
    return;
  }
  const int of = root(s->piece, root(s->fixed, piece)), to = root(s->fixed, end);
  on[of] = on[of] == NONE || on[of] == to ? to : SEVERAL;
  moves[of] |= s->p->side[end] == LB_FORK_EFFECTOR;
}

static lb_status find_inner(search* s, lb_arena* arena) {
  lb_fork_parts* p = s->p;
  const lb_scene* scene = p->scene;
  int* on = LB_TAKE(arena, int, 1 + scene->nbody);
  bool* moves = LB_TAKE(arena, bool, 1 + scene->nbody); // an effector
  if (!on || !moves) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i <= scene->nbody; i++) {
    on[i] = NONE;
  }
  for (int i = 0; i < scene->njoint; i++) {
    const int a = 1 + scene->joint[i].parent, b = 1 + scene->joint[i].child;
    if (!is_end(s, a) && !is_end(s, b)) {
      unite(s->piece, root(s->fixed, a), root(s->fixed, b));
    }
  }
  for (int i = 0; i < scene->njoint; i++) {
    const int a = 1 + scene->joint[i].parent, b = 1 + scene->joint[i].child;
    hang(s, on, moves, a, b);
    hang(s, on, moves, b, a);
  }
  for (int i = 1; i <= scene->nbody; i++) {
    const int of = root(s->piece, root(s->fixed, i));
    if (!is_end(s, i) && on[of] == SEVERAL && moves[of]) {
      p->side[i] = LB_FORK_INNER;
    }
  }
  return LB_OK;
}

static void find_joints(search* s) {
  lb_fork_parts* p = s->p;
  for (int i = 0; i < p->scene->njoint; i++) {
    const lb_scene_joint* j = &p->scene->joint[i];
    const lb_fork_side a = lb_fork_side_of(p, j->parent), b = lb_fork_side_of(p, j->child);
    p->inside[i] =
        a != LB_FORK_OUTSIDE && b != LB_FORK_OUTSIDE && (a != LB_FORK_BASE || b != LB_FORK_BASE);
  }
}

// --- what must hold ---

static lb_status check_joint(const search* s, int i) {
  const lb_fork_parts* p = s->p;
  const lb_scene_joint* j = &p->scene->joint[i];
  const char* name = p->what->name;
  const lb_fork_side a = lb_fork_side_of(p, j->parent), b = lb_fork_side_of(p, j->child);
  if (!p->inside[i] && (a == LB_FORK_INNER || b == LB_FORK_INNER)) {
    return lb_error_add(s->err, LB_INVALID, j->place,
                        "fork '%s': joint '%s' holds it to the world, and not to its base (make "
                        "the world its base, or take the joint away)",
                        name, j->name);
  }
  if (!j->loop && p->inside[i] && b == LB_FORK_BASE) {
    return lb_error_add(s->err, LB_INVALID, j->place,
                        "fork '%s': joint '%s' carries its base (turn 'parent' and 'child' round: "
                        "a base carries its mechanism)",
                        name, j->name);
  }
  if (!j->loop && !p->inside[i] && b == LB_FORK_EFFECTOR) {
    return lb_error_add(
        s->err, LB_INVALID, j->place,
        "fork '%s': joint '%s' carries an effector, and is no part of the mechanism "
        "(turn 'parent' and 'child' round, or close a loop with it)",
        name, j->name);
  }
  return LB_OK;
}

static lb_status check_effector(const search* s, int e) {
  const lb_fork_parts* p = s->p;
  const lb_scene_effector* of = &p->what->effector[e];
  bool held = false;
  for (int i = 0; i < p->scene->njoint; i++) {
    const lb_scene_joint* j = &p->scene->joint[i];
    const int a = group(s, j->parent), b = group(s, j->child);
    held |= p->inside[i] && a != b && (a == group(s, of->body) || b == group(s, of->body));
  }
  return held ? LB_OK
              : lb_error_add(s->err, LB_INVALID, of->place,
                             "fork '%s': effector '%s' does not hang on its base by any joint "
                             "(name the body that carries it as 'base')",
                             p->what->name, of->name);
}

lb_status lb_fork_find_parts(const lb_scene* scene, const lb_scene_fork* what, lb_arena* arena,
                             lb_fork_parts* parts, lb_error* err) {
  *parts = (lb_fork_parts){.scene = scene,
                           .what = what,
                           .side = LB_TAKE(arena, lb_fork_side, 1 + scene->nbody),
                           .effector = LB_TAKE(arena, int, scene->nbody),
                           .inside = LB_TAKE(arena, bool, scene->njoint)};
  search s = {.p = parts, .err = err};
  lb_status status = lb_arena_status(arena);
  status = status == LB_OK ? find_groups(&s, arena) : status;
  status = status == LB_OK ? find_base(&s) : status;
  status = status == LB_OK ? mark_ends(&s) : status;
  status = status == LB_OK ? find_inner(&s, arena) : status;
  if (status != LB_OK) {
    return status;
  }
  find_joints(&s);
  for (int i = 0; i < scene->njoint && status == LB_OK; i++) {
    status = check_joint(&s, i);
  }
  for (int e = 0; e < what->neffector && status == LB_OK; e++) {
    status = check_effector(&s, e);
  }
  return status;
}

// --- independent effectors ---

static void join_bodies(const lb_fork_parts* p, int* set, int a, int b) {
  if (lb_fork_has(p, a) && lb_fork_has(p, b)) {
    unite(set, 1 + a, 1 + b);
  }
}

const int* lb_fork_sets(const lb_fork_parts* p, lb_arena* arena) {
  const lb_scene* s = p->scene;
  int* set = LB_TAKE(arena, int, 1 + s->nbody);
  int* first = LB_TAKE(arena, int, p->what->neffector);
  for (int i = 0; set && i <= s->nbody; i++) {
    set[i] = i;
  }
  for (int i = 0; set && i < s->njoint; i++) {
    const lb_scene_joint* j = &s->joint[i];
    join_bodies(p, set, j->parent, j->child);
  }
  for (int i = 0; set && i < s->nforce; i++) {
    for (int k = 1; k < s->force[i].npoint; k++) {
      join_bodies(p, set, s->force[i].point[0].body, s->force[i].point[k].body);
    }
  }
  for (int i = 0; set && i < s->nconstraint; i++) {
    const lb_scene_constraint* c = &s->constraint[i];
    for (int k = 1; k < c->nterm; k++) {
      join_bodies(p, set, s->joint[c->term[0].joint].child, s->joint[c->term[k].joint].child);
    }
    if (c->kind != LB_CONSTRAINT_COUPLE && c->other) {
      join_bodies(p, set, c->body, c->other->body);
    }
  }
  for (int e = 0; set && first && e < p->what->neffector; e++) {
    first[e] = e;
    for (int i = e - 1; i >= 0; i--) {
      const int a = 1 + p->what->effector[e].body, b = 1 + p->what->effector[i].body;
      first[e] = root(set, a) == root(set, b) ? first[i] : first[e];
    }
  }
  return set ? first : NULL;
}

bool lb_fork_has_others(const lb_fork_parts* p) {
  const lb_scene* s = p->scene;
  bool any = s->nrope > 0 || s->ndeformable > 0;
  for (int i = 0; i < s->nbody && !any; i++) {
    const int carrier = lb_scene_carrier(s, i);
    const bool fixed = carrier >= 0 && s->joint[carrier].kind == LB_JOINT_FIXED;
    any = lb_fork_side_of(p, i) == LB_FORK_OUTSIDE && !fixed;
  }
  return any;
}
