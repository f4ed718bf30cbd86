#include "record/file/search_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/file/whole_file.h"

static const char NAME[] = "retarget.state";
static const char MAGIC[16] = "limber search 2";

// What stands at the file's beginning; then control points, memory and history, and a check sum.
typedef struct header {
  char magic[16];
  uint64_t key;
  int32_t iteration, done, ncontrol, nmemory, nhistory, nmotor, method, unused;
} header;

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

// Fowler, Noll and Vo's hash: it tells changes, it does not keep secrets.
static uint64_t mix(uint64_t hash, const void* bytes, size_t size) {
  const unsigned char* c = bytes;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ c[i]) * 0x100000001b3u;
  }
  return hash;
}
static const uint64_t START = 0xcbf29ce484222325u;

uint64_t lb_search_key(const lb_model* m, const lb_retarget* r, const lb_curves* input,
                       const lb_targets* targets, double step) {
  const double number[] = {m->duration,   m->solver.step, step,         r->spacing, r->closeness,
                           r->smoothness, r->tolerance,   m->gravity.z, r->robust};
  uint64_t h = mix(START, number, sizeof number);
  h = mix(h, input->control,
          (size_t)input->nmotor * (size_t)input->ncontrol * sizeof *input->control);
  h = mix(h, targets->pose,
          (size_t)targets->nframe * (size_t)targets->ntrack * sizeof *targets->pose);
  h = mix(h, targets->q0, (size_t)m->nq * sizeof *targets->q0);
  for (int i = 0; i < r->ntrack; i++) {
    const lb_retarget_track* t = &r->track[i];
    const double weight[] = {t->position, t->orientation, t->point.x, t->point.y, t->point.z};
    h = mix(mix(h, weight, sizeof weight), &t->body, sizeof t->body);
    for (int k = 0; t->weight && k < 64; k++) {
      double value[3];
      lb_profile_evaluate(t->weight, m->duration * k / 63, value);
      h = mix(h, value, sizeof value);
    }
  }
  return mix(h, r->limit, (size_t)r->nmotor * sizeof *r->limit);
}

// --- file ---

lb_status lb_search_save(const char* dir, uint64_t key, const lb_retarget_state* s,
                         const lb_search_history* history, lb_error* err) {
  const lb_curves* c = s->curves;
  header head = {.key = key,
                 .iteration = s->iteration,
                 .done = s->done,
                 .ncontrol = c->ncontrol,
                 .nmemory = s->nmemory,
                 .nhistory = history->count,
                 .nmotor = c->nmotor,
                 .method = (int32_t)s->method};
  memcpy(head.magic, MAGIC, sizeof head.magic);
  const struct {
    const void* bytes;
    size_t size;
  } part[] = {
      {&head, sizeof head},
      {c->control, (size_t)c->nmotor * (size_t)c->ncontrol * sizeof *c->control},
      {s->memory, (size_t)s->nmemory * sizeof *s->memory},
      {history->value, (size_t)history->count * sizeof *history->value},
  };
  lb_file file;
  const lb_status status = lb_file_begin(&file, dir, NAME, s->allocator, err);
  if (status != LB_OK) {
    return status;
  }
  uint64_t sum = START;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (part[i].size) {
      lb_out_bytes(&file.out, part[i].bytes, part[i].size);
      sum = mix(sum, part[i].bytes, part[i].size);
    }
  }
  lb_out_bytes(&file.out, &sum, sizeof sum);
  return lb_file_end(&file, err);
}

// The whole file; NULL with `size` 0 when it cannot be read.
static char* read_all(const char* path, const lb_allocator* allocator, size_t* size) {
  struct stat st;
  char* text = NULL;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  *size = 0;
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
    text = lb_allocate(allocator, (size_t)st.st_size);
    while (text && *size < (size_t)st.st_size) {
      const ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);
      if (n <= 0) {
        break;
      }
      *size += (size_t)n;
    }
  }
  if (fd >= 0) {
    close(fd);
  }
  return text;
}

// What is wrong with the bytes, or NULL.
static const char* complaint(const char* text, size_t size, uint64_t key,
                             const lb_retarget_state* s, header* head) {
  uint64_t sum;
  if (size < sizeof *head + sizeof sum) {
    return "it is not whole";
  }
  memcpy(head, text, sizeof *head);
  memcpy(&sum, text + size - sizeof sum, sizeof sum);
  if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0 ||
      mix(START, text, size - sizeof sum) != sum) {
    return "it is damaged, or of another version";
  }
  const size_t want = sizeof *head + sizeof sum +
                      (size_t)(head->nmotor * head->ncontrol + head->nmemory) * sizeof(double) +
                      (size_t)head->nhistory * sizeof(lb_retarget_value);
  if (head->key != key || head->nmotor != s->curves->nmotor ||
      head->ncontrol != s->curves->ncontrol || size != want) {
    return "the scene has changed since, or another step was asked for";
  }
  if (head->method != (int32_t)s->method) {
    return "it was begun with another method";
  }
  return NULL;
}

static lb_status take(const header* head, const char* text, lb_retarget_state* s,
                      lb_search_history* history) {
  const size_t ncurve = (size_t)(head->nmotor * head->ncontrol) * sizeof(double);
  const size_t nmemory = (size_t)head->nmemory * sizeof(double);
  const char* at = text + sizeof *head + ncurve + nmemory;
  if (lb_retarget_state_reserve(s, head->nmemory, NULL) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < head->nhistory; i++) {
    lb_retarget_value value;
    memcpy(&value, at + (size_t)i * sizeof value, sizeof value);
    if (lb_search_note(history, &value) != LB_OK) {
      history->count = 0;
      return LB_NO_MEMORY;
    }
  }
  if (nmemory) {
    memcpy(s->memory, text + sizeof *head + ncurve, nmemory);
  }
  s->iteration = head->iteration;
  s->done = head->done != 0;
  memcpy(s->curves->control, text + sizeof *head, ncurve);
  return LB_OK;
}

lb_status lb_search_load(const char* dir, uint64_t key, lb_retarget_state* s,
                         lb_search_history* history, bool* found, lb_error* err) {
  char path[4200];
  size_t size;
  header head;
  snprintf(path, sizeof path, "%s/%s", dir, NAME);
  *found = access(path, F_OK) == 0 || errno != ENOENT;
  if (!*found) {
    return LB_OK;
  }
  char* text = read_all(path, s->allocator, &size);
  if (!text) {
    return lb_error_add(err, LB_IO, (lb_place){0}, "%s: cannot be read: %s", path, strerror(errno));
  }
  const char* wrong = complaint(text, size, key, s, &head);
  lb_status status = LB_OK;
  if (wrong) {
    status =
        lb_error_add(err, LB_INVALID, (lb_place){0},
                     "%s: cannot go on from it: %s; leave --resume out to start anew", path, wrong);
  } else {
    status = take(&head, text, s, history);
    if (status != LB_OK) {
      lb_error_add(err, status, (lb_place){0}, "out of memory for %s", path);
    }
  }
  lb_release(s->allocator, text);
  return status;
}
