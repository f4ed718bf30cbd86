// Disjoint sets of numbers: parent[i] leads to the root of i's set, its lowest number.
#pragma once

static inline void lb_sets_begin(int n, int* parent) {
  for (int i = 0; i < n; i++) {
    parent[i] = i;
  }
}
static inline int lb_sets_root(int* parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]]; // shorten the way for the next time
    i = parent[i];
  }
  return i;
}
static inline void lb_sets_join(int* parent, int a, int b) {
  a = lb_sets_root(parent, a);
  b = lb_sets_root(parent, b);
  parent[a > b ? a : b] = a > b ? b : a;
}
