// A link as the recursions read it, in one run of memory.
#pragma once
#include <stdlib.h>

#include "limber/model.h"
#include "math/space/simd.h"

typedef struct lb_link {
  lb_m3 R0; // rotation in the parent link when the coordinates are zero
  lb_v4 p0; // position there
  lb_m3 I0; // inertia about the link's origin
  lb_v4 h;  // mass times centre of mass
  double m;
  int parent; // or LB_WORLD
  int q, v;   // first coordinate and velocity
  int nv;     // velocities
  int column; // first column of its coordinates' directions: v, but faces have their own
  int hinge;  // position in the model's list of hinges
  const struct lb_reduced* reduced; // of an elastic body and its faces
  int face;                         // of a face: which one
  const struct lb_chart* chart;     // of kinds that have one, else NULL
  int kind;
  bool driven;
} lb_link;

// Kinds of links that elastic bodies and their faces have, in a basis or with all their nodes.
static inline bool lb_link_is_elastic(int kind) {
  return kind == LB_LINK_ELASTIC || kind == LB_LINK_FULL;
}
static inline bool lb_link_is_face(int kind) {
  return kind == LB_LINK_FACE || kind == LB_LINK_FULL_FACE || kind == LB_LINK_EFFECTOR;
}

// The link that a link moves with: itself, or the next one towards the world that has coordinates.
static inline int lb_link_mover(const lb_model* m, int link) {
  while (link != LB_WORLD && m->link.nv[link] == 0 && !lb_link_is_face(m->link.kind[link])) {
    link = m->link.parent[link];
  }
  return link;
}

// A free joint on the world that carries a link alone. Links of a tree follow their root.
static inline bool lb_link_turns_free(const lb_model* m, int link) {
  const bool leaf = link + 1 == m->nlink || m->link.parent[link + 1] != link;
  return leaf && m->link.kind[link] == LB_JOINT_FREE && m->link.parent[link] == LB_WORLD &&
         !m->link.driven[link];
}

// Order of pairs of links, for qsort and bsearch.
static inline int lb_links_compare(const void* a, const void* b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// Does a joint hold two links together?
static inline bool lb_links_joined(const lb_model_contacts* c, int a, int b) {
  const int key[2] = {a < b ? a : b, a < b ? b : a};
  return bsearch(key, c->joined, (size_t)c->njoined, sizeof *c->joined, lb_links_compare);
}

// Does the body move? What is fixed to the world may have a link, for its reaction.
static inline bool lb_body_moves(const lb_model* m, int body) {
  int i = body == LB_WORLD ? LB_WORLD : m->body.link[body];
  while (i != LB_WORLD && m->link.nv[i] == 0) {
    i = m->link.parent[i];
  }
  return i != LB_WORLD;
}

// Mass of a link, in its own frame.
void lb_link_set_mass(lb_link* link, lb_mass mass);
