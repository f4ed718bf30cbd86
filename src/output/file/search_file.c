#include "output/file/search_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/npz.h"
#include "geom/mesh/file_load.h"
#include "output/file/whole_file.h"

static const char NAME[] = "retarget.state"; // arrays, as in any .npz

enum { ITERATION, DONE, METHOD, KEY, KEY_HIGH, NSTATE }; // in the array "state"
enum { NVALUE = sizeof(lb_retarget_value) / sizeof(double) };

// --- history ---

lb_status lb_search_note(lb_search_history* h, const lb_retarget_value* value) {
  if (h->count == h->capacity) {
    const int capacity = h->capacity ? 2 * h->capacity : 64;
    lb_retarget_value* larger = lb_allocate(h->allocator, (size_t)capacity * sizeof *larger);
    if (!larger) {
      return LB_NO_MEMORY;
    }
    if (h->count) {
      memcpy(larger, h->value, (size_t)h->count * sizeof *larger);
    }
    lb_release(h->allocator, h->value);
    h->value = larger;
    h->capacity = capacity;
  }
  h->value[h->count++] = *value;
  return LB_OK;
}

// --- sums ---

uint64_t lb_search_key(const lb_model* m, const lb_retarget* r, const lb_curves* input,
                       const lb_targets* targets, double step) {
  const double number[] = {m->duration,   m->solver.step, step,         r->spacing, r->closeness,
                           r->smoothness, r->tolerance,   m->gravity.z, r->robust};
  uint64_t h = lb_hash(LB_HASH_START, number, sizeof number);
  h = lb_hash(h, input->control,
              (size_t)input->nmotor * (size_t)input->ncontrol * sizeof *input->control);
  h = lb_hash(h, targets->pose,
              (size_t)targets->nframe * (size_t)targets->ntrack * sizeof *targets->pose);
  h = lb_hash(h, targets->q0, (size_t)m->nq * sizeof *targets->q0);
  for (int i = 0; i < r->ntrack; i++) {
    const lb_retarget_track* t = &r->track[i];
    const double weight[] = {t->position, t->orientation, t->point.x, t->point.y, t->point.z};
    h = lb_hash(lb_hash(h, weight, sizeof weight), &t->body, sizeof t->body);
    for (int k = 0; t->weight && k < 64; k++) {
      double value[3];
      lb_profile_evaluate(t->weight, m->duration * k / 63, value);
      h = lb_hash(h, value, sizeof value);
    }
  }
  return lb_hash(h, r->limit, (size_t)r->nmotor * sizeof *r->limit);
}

// --- file ---

static int low(uint64_t key) {
  return (int)(uint32_t)key;
}

lb_status lb_search_save(const char* dir, uint64_t key, const lb_retarget_state* s,
                         const lb_search_history* history, lb_error* err) {
  const lb_curves* c = s->curves;
  const int state[NSTATE] = {s->iteration, s->done, (int)s->method, low(key), low(key >> 32)};
  const lb_npz_array part[] = {
      {"state", LB_NPZ_INT, 1, {NSTATE}, state, NULL},
      {"control", LB_NPZ_NUMBER, 2, {c->nmotor, c->ncontrol}, c->control, NULL},
      {"memory", LB_NPZ_NUMBER, 1, {s->nmemory}, s->memory, NULL},
      {"history", LB_NPZ_NUMBER, 2, {history->count, NVALUE}, history->value, NULL}};
  lb_arena scratch;
  lb_bytes bytes = {0};
  lb_arena_init(&scratch, s->allocator);
  lb_status status =
      lb_npz_pack(part, sizeof part / sizeof *part, &scratch, &bytes.data, &bytes.size);
  status = status == LB_OK ? lb_file_write(dir, NAME, lb_file_bytes, &bytes, s->allocator, err)
                           : lb_error_add(err, status, (lb_place){.file = NAME}, "out of memory");
  lb_arena_release(&scratch);
  return status;
}

// Contents of a file.
typedef struct contents {
  const int* state;
  const double *control, *memory, *history;
  int nmemory[1], nhistory[2];
} contents;

// Complaint about a file, or NULL.
static const char* complaint(const lb_npz* npz, uint64_t key, const lb_retarget_state* s,
                             contents* f) {
  int nstate[1] = {NSTATE}, ncontrol[2] = {s->curves->nmotor, s->curves->ncontrol};
  f->nmemory[0] = f->nhistory[0] = -1;
  f->nhistory[1] = NVALUE;
  f->state = lb_npz_get(npz, "state", LB_NPZ_INT, 1, nstate, NULL);
  f->control = lb_npz_get(npz, "control", LB_NPZ_NUMBER, 2, ncontrol, NULL);
  f->memory = lb_npz_get(npz, "memory", LB_NPZ_NUMBER, 1, f->nmemory, NULL);
  f->history = lb_npz_get(npz, "history", LB_NPZ_NUMBER, 2, f->nhistory, NULL);
  if (!f->state || !f->memory || !f->history) {
    return "it is of another version";
  }
  if (!f->control || f->state[KEY] != low(key) || f->state[KEY_HIGH] != low(key >> 32)) {
    return "the scene has changed since, or another step was asked for";
  }
  return f->state[METHOD] != (int)s->method ? "it was begun with another method" : NULL;
}

static lb_status take(const contents* f, lb_retarget_state* s, lb_search_history* history) {
  lb_status status = lb_retarget_state_reserve(s, f->nmemory[0], NULL);
  for (int i = 0; i < f->nhistory[0] && status == LB_OK; i++) {
    lb_retarget_value value;
    memcpy(&value, f->history + (size_t)i * NVALUE, sizeof value);
    status = lb_search_note(history, &value);
  }
  if (status != LB_OK) {
    history->count = 0;
    return status;
  }
  if (f->nmemory[0] > 0) {
    memcpy(s->memory, f->memory, (size_t)f->nmemory[0] * sizeof *s->memory);
  }
  memcpy(s->curves->control, f->control,
         (size_t)(s->curves->nmotor * s->curves->ncontrol) * sizeof *f->control);
  s->iteration = f->state[ITERATION];
  s->done = f->state[DONE] != 0;
  return LB_OK;
}

static lb_status load(const char* path, uint64_t key, lb_retarget_state* s,
                      lb_search_history* history, lb_arena* scratch, lb_error* err) {
  char* bytes = NULL;
  size_t size = 0;
  lb_npz npz;
  contents f;
  lb_status status = lb_load(path, "state of a search", (lb_place){0}, scratch, &bytes, &size, err);
  if (status != LB_OK) {
    return status;
  }
  const bool whole = lb_npz_parse(bytes, size, path, scratch, &npz, NULL) == LB_OK;
  const char* wrong = whole ? complaint(&npz, key, s, &f) : "it is not whole";
  if (wrong) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "%s: cannot go on from it: %s; leave --resume out to start anew", path,
                        wrong);
  }
  status = take(&f, s, history);
  return status == LB_OK ? LB_OK
                         : lb_error_add(err, status, (lb_place){0}, "out of memory for %s", path);
}

lb_status lb_search_load(const char* dir, uint64_t key, lb_retarget_state* s,
                         lb_search_history* history, bool* found, lb_error* err) {
  char path[4200];
  lb_arena scratch;
  snprintf(path, sizeof path, "%s/%s", dir, NAME);
  *found = access(path, F_OK) == 0 || errno != ENOENT;
  lb_arena_init(&scratch, s->allocator);
  const lb_status status = *found ? load(path, key, s, history, &scratch, err) : LB_OK;
  lb_arena_release(&scratch);
  return status;
}
