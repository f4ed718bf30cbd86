#include "scene/opensim/osim_scale.h"

#include <math.h>
#include <string.h>

#include "scene/opensim/osim_setup.h"

typedef struct reading {
  lb_setup s;
  lb_osim_scaling t;
  int measurements, factors;
} reading;

// A name as scenes have it, kept.
static const char* keep_name(reading* R, const char* text, size_t length) {
  const char* copy = lb_arena_text(&R->s.r.scratch, text, length);
  const char* name = copy ? lb_osim_name(&R->s.o, copy) : "";
  const char* kept = lb_arena_text(R->s.r.keep, name, strlen(name));
  return kept ? kept : "";
}

static size_t word(const char** at) {
  *at += strspn(*at, " \t\r\n");
  return strcspn(*at, " \t\r\n");
}

static int count_inside(reading* R, lb_xml* in, const char* set, const char* tag) {
  int count = 0;
  for (const lb_xml* e = lb_osim_first(&R->s.o, in, set); e; e = e->next) {
    count += strcmp(e->tag, tag) == 0;
  }
  return count;
}

static void read_pairs(reading* R, lb_xml* e, lb_osim_measurement* m) {
  m->pair =
      lb_arena_take_array(R->s.r.keep, (size_t)count_inside(R, e, "MarkerPairSet", "MarkerPair"),
                          sizeof *m->pair, LB_ALIGN);
  for (lb_xml* p = m->pair ? lb_osim_first(&R->s.o, e, "MarkerPairSet") : NULL; p; p = p->next) {
    if (strcmp(p->tag, "MarkerPair") != 0) {
      continue;
    }
    p->seen = true;
    const char* at = lb_osim_word(&R->s.o, p, "markers");
    for (int k = 0; k < 2; k++) {
      const size_t length = word(&at);
      m->pair[m->npair][k] = keep_name(R, at, length);
      at += length;
    }
    if (!*m->pair[m->npair][1] || word(&at) > 0) {
      lb_complain(&R->s.r, p->place, "<MarkerPair> must name two markers in <markers>");
    }
    m->npair++;
  }
}

static void read_bodies(reading* R, lb_xml* e, lb_osim_measurement* m) {
  const size_t most = (size_t)count_inside(R, e, "BodyScaleSet", "BodyScale");
  m->body = LB_TAKE(R->s.r.keep, const char*, most);
  m->along = lb_arena_take_array(R->s.r.keep, most, sizeof *m->along, LB_ALIGN);
  for (lb_xml* b = m->body && m->along ? lb_osim_first(&R->s.o, e, "BodyScaleSet") : NULL; b;
       b = b->next) {
    if (strcmp(b->tag, "BodyScale") != 0) {
      continue;
    }
    b->seen = true;
    const char* axes = lb_osim_word(&R->s.o, b, "axes");
    m->body[m->nbody] = keep_name(R, b->name, strlen(b->name));
    for (int k = 0; k < 3; k++) {
      m->along[m->nbody][k] = strchr(axes, "XYZ"[k]) != NULL;
    }
    m->nbody++;
  }
}

static void read_measurements(reading* R, lb_xml* scaler) {
  for (lb_xml* e = lb_osim_first(&R->s.o, scaler, "MeasurementSet"); e; e = e->next) {
    if (strcmp(e->tag, "Measurement") != 0) {
      continue;
    }
    e->seen = true;
    lb_osim_measurement m = {.name = e->name, .place = e->place};
    const bool on = lb_osim_flag(&R->s.o, e, "apply", true);
    read_pairs(R, e, &m);
    read_bodies(R, e, &m);
    if (on && m.npair == 0) {
      lb_complain(&R->s.r, e->place, "measurement '%.60s' has no pair of markers", e->name);
    }
    lb_osim_measurement* grown =
        LB_GROW(R->s.r.keep, R->t.measurement, R->t.nmeasurement, &R->measurements);
    if (grown && on) {
      R->t.measurement = grown;
      R->t.measurement[R->t.nmeasurement++] = m;
    }
  }
}

static void read_factors(reading* R, lb_xml* scaler) {
  for (lb_xml* e = lb_osim_first(&R->s.o, scaler, "ScaleSet"); e; e = e->next) {
    if (strcmp(e->tag, "Scale") != 0) {
      continue;
    }
    e->seen = true;
    const bool on = lb_osim_flag(&R->s.o, e, "apply", true);
    const char* body = lb_osim_word(&R->s.o, e, "segment");
    const lb_vec3 by = lb_osim_vector(&R->s.o, e, "scales", lb_vec3_make(1, 1, 1));
    if (!(by.x > 0 && by.y > 0 && by.z > 0)) {
      lb_complain(&R->s.r, e->place, "<scales> must be greater than 0");
    }
    lb_osim_factor* grown = LB_GROW(R->s.r.keep, R->t.factor, R->t.nfactor, &R->factors);
    if (grown && on) {
      R->t.factor = grown;
      R->t.factor[R->t.nfactor++] =
          (lb_osim_factor){keep_name(R, body, strlen(body)), e->place, by};
    }
  }
}

static void read_placer(reading* R, lb_xml* placer) {
  static const char* const IDLE[] = {"output_motion_file", "output_model_file",
                                     "output_marker_file", "max_marker_movement",
                                     "move_model_markers", "coordinate_file"};
  lb_osim_placing* p = &R->t.placing;
  if (!placer) {
    return;
  }
  if (!lb_osim_flag(&R->s.o, placer, "apply", true)) {
    placer->first = NULL;
    return;
  }
  *p = (lb_osim_placing){.begin = -INFINITY, .end = INFINITY};
  p->markers = lb_setup_file(&R->s, placer, "marker_file");
  lb_osim_range(&R->s.o, placer, "time_range", &p->begin, &p->end);
  lb_setup_tasks(&R->s, lb_osim_property(&R->s.o, placer, "IKTaskSet"), &p->ntask, &p->task);
  for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++) {
    lb_xml_find(placer, IDLE[i]);
  }
  if (!p->markers.path) {
    lb_complain(&R->s.r, placer->place, "<MarkerPlacer> must name a trial in <marker_file>");
  }
}

static void read_tool(reading* R) {
  static const char* const IDLE[] = {"height",
                                     "age",
                                     "notes",
                                     "scaling_order",
                                     "marker_set_file",
                                     "output_model_file",
                                     "output_scale_file",
                                     "apply",
                                     "model_file"};
  lb_xml* tool = R->s.o.model;
  lb_xml* scaler = lb_osim_property(&R->s.o, tool, "ModelScaler");
  lb_xml* maker = lb_osim_property(&R->s.o, tool, "GenericModelMaker");
  R->t.place = tool->place;
  R->t.mass = lb_osim_number(&R->s.o, tool, "mass", NAN);
  R->t.mass = R->t.mass > 0 ? R->t.mass : (double)NAN;
  for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++) {
    lb_xml_find(tool, IDLE[i]);
    lb_xml_find(scaler, IDLE[i]);
    lb_xml_find(maker, IDLE[i]);
  }
  if (!scaler) {
    lb_complain(&R->s.r, tool->place, "<ScaleTool> must have a <ModelScaler>");
    return;
  }
  lb_osim_range(&R->s.o, scaler, "time_range", &R->t.begin, &R->t.end);
  read_placer(R, lb_osim_property(&R->s.o, tool, "MarkerPlacer"));
  R->t.markers = lb_setup_file(&R->s, scaler, "marker_file");
  R->t.preserve = lb_osim_flag(&R->s.o, scaler, "preserve_mass_distribution", false);
  read_measurements(R, scaler);
  read_factors(R, scaler);
  if (R->t.nmeasurement > 0 && !R->t.markers.path) {
    lb_complain(&R->s.r, scaler->place, "measurements need a <marker_file>");
  }
}

lb_status lb_osim_scale_read(const char* path, lb_arena* arena, lb_osim_scaling* scaling,
                             lb_error* err) {
  static const char* const ELEMENT[] = {"ScaleTool", NULL};
  reading R = {.t = {.begin = -INFINITY, .end = INFINITY}};
  lb_status status = lb_setup_open(&R.s, path, ELEMENT, arena, err);
  if (status != LB_OK) {
    return status;
  }
  R.s.o.r = &R.s.r;
  read_tool(&R);
  status = lb_setup_close(&R.s, &R.t.nnote, &R.t.note);
  if (status == LB_OK) {
    *scaling = R.t;
  }
  return status;
}
