// The networks of [red] 6.2.6.
#pragma once
#include "geom/path/wrap_network.h"

typedef struct network_case {
  int layers, width, percent; // hidden layers, their width, threshold
} network_case;

enum { NETWORK_SIZES = 8, NETWORK_CASES = 2 * 2 * NETWORK_SIZES + 3 };
static const int NETWORK_LAYERS[NETWORK_SIZES] = {1, 2, 3, 4, 6, 8, 10, 12};

// All sizes at 1 and 5 %, and 6 x 256 at 3, 10 and 20 %.
static inline network_case network_case_of(int i) {
  static const int OTHER[] = {3, 10, 20};
  return i < 4 * NETWORK_SIZES
             ? (network_case){NETWORK_LAYERS[i % NETWORK_SIZES], i / NETWORK_SIZES % 2 ? 128 : 256,
                              i / NETWORK_SIZES / 2 ? 5 : 1}
             : (network_case){6, 256, OTHER[i - 4 * NETWORK_SIZES]};
}

typedef struct network_label {
  char text[32];
} network_label;
static inline network_label network_name(const network_case* c) {
  network_label l;
  snprintf(l.text, sizeof l.text, "%dx%d-%d", c->layers, c->width, c->percent);
  return l;
}
