#include "math/contact/contact_islands.h"

#include <string.h>

enum { COLOURS = 64, SERIAL = COLOURS - 1 }; // the last one has all blocks that found no other

void lb_contact_islands_carve(lb_contact_islands* s, lb_carver* c, int nblock, int ngroup) {
  const size_t n = (size_t)nblock, g = (size_t)ngroup;
  s->first = lb_carve(c, n + 1, sizeof(int));
  s->block = lb_carve(c, n, sizeof(int));
  s->first_colour = lb_carve(c, n + 1, sizeof(int));
  s->colour = lb_carve(c, n + 1, sizeof(int));
  s->serial = lb_carve(c, n, sizeof(bool));
  s->first_group = lb_carve(c, n + 2, sizeof(int));
  s->group = lb_carve(c, g, sizeof(int));
  s->parent = lb_carve(c, g + 1, sizeof(int));
  s->island_of = lb_carve(c, n, sizeof(int));
  s->count = lb_carve(c, n + COLOURS + 2, sizeof(int));
  s->sorted = lb_carve(c, n, sizeof(int));
  s->sides = lb_carve(c, n, sizeof *s->sides);
  s->used = lb_carve(c, g, sizeof(uint64_t));
  s->colour_of = lb_carve(c, n, 1);
}

// --- islands: sets of groups that blocks join ---

static int root(int* parent, int g) {
  while (parent[g] != g) {
    parent[g] = parent[parent[g]];
    g = parent[g];
  }
  return g;
}

// A group of a block; blocks that act on none count as one island, of the group behind the last.
static int any_group(const lb_contact_islands* s, int ngroup, int block) {
  const int* g = s->sides[block];
  return g[0] >= 0 ? g[0] : g[1] >= 0 ? g[1] : ngroup;
}

static void list_sides(lb_contact_islands* s, const lb_contact_problem* p) {
  for (int k = 0; k < p->nblock; k++) {
    memcpy(s->sides[k], p->row[p->block[k]].group, sizeof s->sides[k]);
  }
}

static void join_groups(lb_contact_islands* s, const lb_contact_problem* p) {
  for (int g = 0; g <= p->ngroup; g++) {
    s->parent[g] = g;
  }
  for (int k = 0; k < p->nblock; k++) {
    const int* g = s->sides[k];
    if (g[0] >= 0 && g[1] >= 0) {
      const int a = root(s->parent, g[0]), b = root(s->parent, g[1]);
      s->parent[a > b ? a : b] = a > b ? b : a;
    }
  }
}

// Groups by island. Those that no block acts on are in none.
static void list_groups(lb_contact_islands* s, const lb_contact_problem* p) {
  int* first = s->first_group;
  memset(first, 0, (size_t)(s->nisland + 2) * sizeof *first);
  for (int g = 0; g < p->ngroup; g++) {
    if (s->parent[g] < 0) {
      first[1 - s->parent[g]]++;
    }
  }
  for (int i = 1; i <= s->nisland; i++) {
    first[i + 1] += first[i];
  }
  for (int g = 0; g < p->ngroup; g++) {
    if (s->parent[g] < 0) {
      s->group[first[-s->parent[g]]++] = g;
    }
  }
}

// Islands are numbered by their first blocks. Their numbers stand as -1 - number in `parent`.
static void number_islands(lb_contact_islands* s, const lb_contact_problem* p) {
  for (int k = 0; k < p->nblock; k++) {
    s->island_of[k] = root(s->parent, any_group(s, p->ngroup, k));
  }
  s->nisland = 0;
  for (int k = 0; k < p->nblock; k++) {
    const int g = s->island_of[k];
    if (s->parent[g] >= 0) {
      s->parent[g] = -1 - s->nisland++;
    }
    s->island_of[k] = -1 - s->parent[g];
  }
  for (int k = 0; k < p->nblock; k++) {
    for (int i = 0; i < 2; i++) {
      const int g = s->sides[k][i];
      if (g >= 0) {
        s->parent[g] = -1 - s->island_of[k];
      }
    }
  }
}

// --- colours: the first that no block before has used on the same groups ---

static bool same_sides(const int* a, const int* b) {
  return a[0] == b[0] && a[1] == b[1];
}

static void count_blocks(lb_contact_islands* s, int nblock) {
  memset(s->count, 0, (size_t)s->nisland * sizeof *s->count);
  for (int k = 0; k < nblock; k++) {
    s->count[s->island_of[k]]++;
  }
}

static void colour_blocks(lb_contact_islands* s, const lb_contact_problem* p) {
  count_blocks(s, p->nblock);
  memset(s->used, 0, (size_t)p->ngroup * sizeof *s->used);
  for (int k = 0; k < p->nblock; k++) {
    const int* g = s->sides[k];
    if (k > 0 && same_sides(g, s->sides[k - 1]) && s->count[s->island_of[k]] >= LB_ISLAND_TEAM) {
      s->colour_of[k] = s->colour_of[k - 1];
      continue;
    }
    const uint64_t used = (g[0] >= 0 ? s->used[g[0]] : 0) | (g[1] >= 0 ? s->used[g[1]] : 0);
    const uint64_t free = ~used | (uint64_t)1 << SERIAL;
    const int colour = __builtin_ctzll(free);
    s->colour_of[k] = (unsigned char)colour;
    for (int i = 0; i < 2; i++) {
      if (g[i] >= 0) {
        s->used[g[i]] |= (uint64_t)1 << colour;
      }
    }
  }
}

// --- order: by colour, then by island, each time keeping the order before ---

static void sort_blocks(lb_contact_islands* s, int nblock) {
  int* count = s->count;
  memset(count, 0, (COLOURS + 1) * sizeof *count);
  for (int k = 0; k < nblock; k++) {
    count[s->colour_of[k] + 1]++;
  }
  for (int c = 0; c < COLOURS; c++) {
    count[c + 1] += count[c];
  }
  for (int k = 0; k < nblock; k++) {
    s->sorted[count[s->colour_of[k]]++] = k;
  }
  memset(count, 0, (size_t)(s->nisland + 1) * sizeof *count);
  for (int k = 0; k < nblock; k++) {
    count[s->island_of[k] + 1]++;
  }
  for (int i = 0; i < s->nisland; i++) {
    count[i + 1] += count[i];
  }
  memcpy(s->first, count, (size_t)(s->nisland + 1) * sizeof *count);
  for (int k = 0; k < nblock; k++) {
    const int block = s->sorted[k];
    s->block[count[s->island_of[block]]++] = block;
  }
}

static void list_colours(lb_contact_islands* s) {
  int ncolour = 0;
  for (int i = 0; i < s->nisland; i++) {
    s->first_colour[i] = ncolour;
    int last = -1;
    for (int k = s->first[i]; k < s->first[i + 1]; k++) {
      const int colour = s->colour_of[s->block[k]];
      if (colour != last) {
        s->serial[ncolour] = colour == SERIAL;
        s->colour[ncolour++] = k;
      }
      last = colour;
    }
  }
  s->first_colour[s->nisland] = ncolour;
  s->colour[ncolour] = s->first[s->nisland];
}

int lb_contact_islands_run(const lb_contact_islands* s, int k, int end) {
  while (k < end && same_sides(s->sides[s->block[k]], s->sides[s->block[k - 1]])) {
    k++;
  }
  return k;
}

void lb_contact_islands_find(lb_contact_islands* s, const lb_contact_problem* p) {
  list_sides(s, p);
  join_groups(s, p);
  number_islands(s, p);
  list_groups(s, p);
  colour_blocks(s, p);
  sort_blocks(s, p->nblock);
  list_colours(s);
}
