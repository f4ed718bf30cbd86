#include "scene/opensim/osim_controls.h"

#include <string.h>

#include "geom/mesh/file_load.h"
#include "scene/opensim/osim_setup.h"
#include "scene/table/number_table.h"

// Steps go from value to value within this part of the time between nodes.
static const double STEEP = 1e-9;

typedef struct reading {
  lb_setup s;
  lb_osim_controls c;
  int capacity;
  double start;
} reading;

// Name of what is controlled: NAME of NAME.excitation and /forceset/NAME.
static const char* controlled(lb_arena* arena, const char* name) {
  const char* last = lb_osim_last(name);
  const char* dot = strrchr(last, '.');
  const bool ends = dot && (strcmp(dot, ".excitation") == 0 || strcmp(dot, ".control") == 0);
  return lb_arena_text(arena, last, ends ? (size_t)(dot - last) : strlen(last));
}

static void add(reading* R, const lb_osim_control* made) {
  lb_osim_control* grown = LB_GROW(R->s.r.keep, R->c.item, R->c.count, &R->capacity);
  if (!grown || !made->name) {
    lb_lack(&R->s.r);
    return;
  }
  R->c.item = grown;
  R->c.item[R->c.count++] = *made;
}

static int count_nodes(const lb_xml* first) {
  int count = 0;
  for (const lb_xml* e = first; e; e = e->next) {
    count += strcmp(e->tag, "ControlLinearNode") == 0;
  }
  return count;
}

static bool read_nodes(reading* R, lb_xml* first, double* time, double* value) {
  int n = 0;
  for (lb_xml* e = first; e; e = e->next) {
    if (strcmp(e->tag, "ControlLinearNode") != 0) {
      continue;
    }
    e->seen = true;
    time[n] = lb_osim_number(&R->s.o, e, "t", 0) - R->start;
    value[n] = lb_osim_number(&R->s.o, e, "value", 0);
    if (n > 0 && !(time[n] > time[n - 1])) {
      return lb_complain(&R->s.r, e->place, "times <t> of nodes must rise");
    }
    n++;
  }
  return true;
}

// From a node on the control has the value of the next one: a jump at each.
static void make_steps(lb_arena* arena, lb_profile_definition* p) {
  const int n = p->count, most = 2 * (n - 1);
  double *time = LB_TAKE(arena, double, most), *value = LB_TAKE(arena, double, most);
  for (int i = 0; time && value && i + 1 < n; i++) {
    time[2 * i] = p->time[i] + (i ? STEEP * (p->time[i + 1] - p->time[i]) : 0);
    time[2 * i + 1] = p->time[i + 1];
    value[2 * i] = value[2 * i + 1] = p->value[i + 1];
  }
  p->time = time;
  p->value = value;
  p->count = most;
}

static void read_linear(reading* R, lb_xml* e) {
  lb_arena* arena = R->s.r.keep;
  lb_xml* first = lb_osim_first(&R->s.o, e, "x_nodes");
  const int n = count_nodes(first);
  const bool steps = lb_osim_flag(&R->s.o, e, "use_steps", false),
             line = lb_osim_flag(&R->s.o, e, "extrapolate", true);
  lb_osim_control made = {.name = controlled(arena, e->name),
                          .place = e->place,
                          .profile = {.kind = LB_PROFILE_LINEAR,
                                      .count = n,
                                      .time = LB_TAKE(arena, double, n),
                                      .value = LB_TAKE(arena, double, n),
                                      .beyond = line ? LB_BEYOND_LINE : LB_BEYOND_HOLD}};
  if (lb_osim_flag(&R->s.o, e, "filter_on", false)) {
    lb_remark(&R->s.r, e->place,
              lb_compose(&R->s.r, "the filter of control '%.60s' is left out", e->name));
  }
  if (n == 0) {
    lb_complain(&R->s.r, e->place, "control '%.60s' has no node in <x_nodes>", e->name);
  } else if (!made.profile.time || !made.profile.value) {
    lb_lack(&R->s.r);
  } else if (read_nodes(R, first, made.profile.time, made.profile.value)) {
    if (steps && n > 1) {
      make_steps(arena, &made.profile);
    }
    made.profile.beyond = n == 1 || steps ? LB_BEYOND_HOLD : made.profile.beyond;
    add(R, &made);
  }
}

static void read_constant(reading* R, lb_xml* e) {
  lb_arena* arena = R->s.r.keep;
  lb_osim_control made = {.name = controlled(arena, e->name),
                          .place = e->place,
                          .profile = {.kind = LB_PROFILE_LINEAR,
                                      .count = 1,
                                      .time = LB_TAKE(arena, double, 1),
                                      .value = LB_TAKE(arena, double, 1)}};
  const double x = lb_osim_number(&R->s.o, e, "x", 0);
  if (!made.profile.time || !made.profile.value) {
    lb_lack(&R->s.r);
    return;
  }
  made.profile.value[0] = lb_osim_number(&R->s.o, e, "value", x);
  add(R, &made);
}

static const struct {
  const char* tag;
  void (*read)(reading*, lb_xml*);
} KINDS[] = {{"ControlLinear", read_linear}, {"ControlConstant", read_constant}};

// Bounds, and gains of controllers, are for those who look for controls.
static void read_control(reading* R, lb_xml* e) {
  static const char* const IDLE[] = {"is_model_control", "default_min", "default_max", "min_nodes",
                                     "max_nodes",        "kp",          "kv"};
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (strcmp(e->tag, KINDS[i].tag) == 0) {
      e->seen = true;
      for (size_t k = 0; k < sizeof IDLE / sizeof *IDLE; k++) {
        lb_xml* idle = lb_xml_find(e, IDLE[k]);
        if (idle) {
          idle->first = NULL;
        }
      }
      KINDS[i].read(R, e);
    }
  }
}

static lb_status read_set(const char* path, double start, lb_arena* arena,
                          lb_osim_controls* controls, lb_error* err) {
  static const char* const ELEMENT[] = {"ControlSet", NULL};
  reading R = {.start = start};
  const lb_status opened = lb_setup_open(&R.s, path, ELEMENT, arena, err);
  if (opened != LB_OK) {
    return opened;
  }
  R.s.o.r = &R.s.r;
  for (lb_xml* e = lb_osim_first(&R.s.o, R.s.o.model, NULL); e; e = e->next) {
    read_control(&R, e);
  }
  if (R.c.count == 0) {
    lb_complain(&R.s.r, R.s.o.model->place, "there is no <ControlLinear> or <ControlConstant>");
  }
  const lb_status status = lb_setup_close(&R.s, &R.c.nnote, &R.c.note);
  if (status == LB_OK) {
    *controls = R.c;
  }
  return status;
}

static lb_status read_column(const lb_numbers* n, int column, double start, lb_arena* arena,
                             lb_osim_control* to, lb_error* err) {
  *to = (lb_osim_control){.name = controlled(arena, n->name[column]),
                          .place = n->place[column],
                          .profile = {.kind = LB_PROFILE_LINEAR,
                                      .count = n->nrow,
                                      .time = LB_TAKE(arena, double, n->nrow),
                                      .value = LB_TAKE(arena, double, n->nrow)}};
  if (lb_arena_status(arena) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for controls");
  }
  lb_status status = lb_numbers_take(n, 0, to->profile.time, 1, err);
  status = status == LB_OK ? lb_numbers_take(n, column, to->profile.value, 1, err) : status;
  for (int i = 0; i < n->nrow; i++) {
    to->profile.time[i] -= start;
  }
  return status;
}

static lb_status read_table(const char* path, double start, lb_arena* arena,
                            lb_osim_controls* controls, lb_error* err) {
  lb_numbers n;
  lb_status status = lb_numbers_read(path, "table of controls", arena, &n, err);
  lb_osim_controls made = {.nnote = status == LB_OK ? n.nnote : 0,
                           .note = status == LB_OK ? n.note : NULL};
  made.item = status == LB_OK ? LB_TAKE(arena, lb_osim_control, n.ncolumn) : NULL;
  if (status == LB_OK && !made.item) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for controls");
  }
  for (int i = 1; status == LB_OK && i < n.ncolumn; i++) {
    status = read_column(&n, i, start, arena, &made.item[made.count++], err);
  }
  if (status == LB_OK) {
    *controls = made;
  }
  return status;
}

lb_status lb_osim_controls_read(const char* path, double start, lb_arena* arena,
                                lb_osim_controls* controls, lb_error* err) {
  return (lb_path_has(path, ".xml") ? read_set : read_table)(path, start, arena, controls, err);
}
