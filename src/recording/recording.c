// Frames in parallel arrays. All of them live in one block, so that growing either works as a whole
// or leaves the recording as it was.
#include "limber/recording.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "recording/contact_frames.h"
#include "recording/drawn_paths.h"
#include "recording/stress_peaks.h"

enum { NARRAY = 13, FIRST_CAPACITY = 16 };

// One of the arrays: where its pointer lives, and bytes a frame.
typedef struct column {
  void** array;
  size_t width;
} column;

static void columns(lb_recording* r, column c[NARRAY]) {
  const size_t nbody = (size_t)r->model->nbody;
  const size_t nq = (size_t)r->model->nq;
  const size_t nv = (size_t)r->model->nv;
  const size_t nmotor = (size_t)r->model->nmotor;
  c[0] = (column){(void**)&r->time, sizeof(double)};
  c[1] = (column){(void**)&r->pose, nbody * sizeof(lb_transform)};
  c[2] = (column){(void**)&r->q, nq * sizeof(double)};
  c[3] = (column){(void**)&r->qd, nv * sizeof(double)};
  c[4] = (column){(void**)&r->motor, nmotor * sizeof(double)};
  c[5] = (column){(void**)&r->kinetic, sizeof(double)};
  c[6] = (column){(void**)&r->potential, sizeof(double)};
  c[12] = (column){(void**)&r->work, sizeof *r->work};
  c[11] = (column){(void**)&r->force, (size_t)r->nchannel * sizeof(double)};
  const size_t reactions = (size_t)r->model->njoint + (size_t)r->model->constraint.npair;
  c[7] = (column){(void**)&r->qdd, r->keeps & LB_KEEP_RATES ? nv * sizeof(double) : 0};
  c[8] = (column){(void**)&r->torque, r->keeps & LB_KEEP_TORQUES ? nv * sizeof(double) : 0};
  c[9] = (column){(void**)&r->reaction,
                  r->keeps & LB_KEEP_REACTIONS ? reactions * sizeof(lb_reaction) : 0};
  c[10] = (column){
      (void**)&r->coupling,
      r->keeps & LB_KEEP_REACTIONS ? (size_t)r->model->constraint.ncoupling * sizeof(double) : 0};
}

// Move to a block with room for `capacity` frames; false when there is none. The block's address is
// the time array's.
static bool resize(lb_recording* r, int capacity) {
  column c[NARRAY];
  columns(r, c);
  size_t frame = 0;
  for (int i = 0; i < NARRAY; i++) {
    frame += c[i].width;
  }
  if ((size_t)capacity > SIZE_MAX / frame) {
    return false;
  }
  char* block = lb_allocate(r->allocator, (size_t)capacity * frame);
  if (!block) {
    return false;
  }
  char* old = (char*)r->time;
  char* next = block;
  for (int i = 0; i < NARRAY; i++) {
    const size_t used = (size_t)r->nframe * c[i].width;
    if (used) {
      memcpy(next, *c[i].array, used);
    }
    *c[i].array = next;
    next += (size_t)capacity * c[i].width;
  }
  lb_release(r->allocator, old);
  r->capacity = capacity;
  return true;
}

static bool name_channels(lb_recording* r) {
  r->nchannel = lb_channels(r->model, NULL, NULL, NULL);
  r->channel = lb_allocate(r->allocator, (size_t)(r->nchannel + 1) * sizeof *r->channel);
  if (r->channel) {
    lb_channels(r->model, NULL, r->channel, NULL);
  }
  return r->channel;
}

lb_status lb_recording_create(const lb_model* model, int capacity, const lb_allocator* allocator,
                              lb_recording** recording, lb_error* err) {
  const lb_allocator* from = allocator ? allocator : lb_allocator_default();
  lb_recording* r = lb_allocate(from, sizeof *r);
  if (r) {
    *r = (lb_recording){.model = model,
                        .allocator = from,
                        .keeps = (model->record.rates ? LB_KEEP_RATES : 0) |
                                 (model->record.reactions ? LB_KEEP_REACTIONS : 0)};
  }
  if (r) {
    r->stress = lb_stress_peaks_create(model, from);
    r->contacts = lb_contact_frames_create(from);
    r->drawn = lb_allocate(from, sizeof *r->drawn);
  }
  if (r && r->drawn) {
    *r->drawn = (lb_drawn_paths){0};
  }
  if (!r || !r->stress || !r->contacts || !r->drawn || !name_channels(r) ||
      !resize(r, capacity > 0 ? capacity : FIRST_CAPACITY)) {
    lb_recording_release(r);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                        "out of memory for a recording of %d frames", capacity);
  }
  *recording = r;
  return LB_OK;
}

void lb_recording_release(lb_recording* recording) {
  if (recording) {
    const lb_allocator* allocator = recording->allocator;
    lb_release(allocator, recording->channel);
    lb_release(allocator, recording->stress);
    if (recording->drawn) {
      lb_release(allocator, recording->drawn->place);
    }
    lb_release(allocator, recording->drawn);
    lb_contact_frames_release(recording->contacts, allocator);
    lb_release(allocator, recording->time);
    lb_release(allocator, recording);
  }
}

lb_status lb_recording_keep(lb_recording* r, int keeps, lb_error* err) {
  const int before = r->keeps;
  r->keeps |= keeps;
  if (!resize(r, r->capacity)) {
    r->keeps = before;
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a recording");
  }
  return LB_OK;
}

int lb_recording_add(lb_recording* r) {
  if (r->nframe == r->capacity) {
    if (r->capacity > INT_MAX / 2 || !resize(r, 2 * r->capacity)) {
      return -1;
    }
  }
  column c[NARRAY];
  columns(r, c);
  for (int i = 0; i < NARRAY; i++) {
    if (c[i].width) {
      memset((char*)*c[i].array + (size_t)r->nframe * c[i].width, 0, c[i].width);
    }
  }
  return r->nframe++;
}

bool lb_recording_is_finite(const lb_recording* r, int frame) {
  lb_recording view = *r;
  column c[NARRAY];
  columns(&view, c);
  for (int i = 0; i < NARRAY; i++) { // all of them are doubles
    const size_t count = c[i].width / sizeof(double);
    const double* x = count > 0 ? (const double*)*c[i].array + (size_t)frame * count : NULL;
    for (size_t k = 0; k < count; k++) {
      if (!isfinite(x[k])) {
        return false;
      }
    }
  }
  return true;
}
