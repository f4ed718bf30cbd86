#include "scene/opensim/osim_tool.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "scene/opensim/osim_setup.h"

// Properties that say where results go, or how a search is tuned: nothing of this is needed here.
static const char* const IDLE[] = {
    "results_directory",
    "input_directory",
    "output_precision",
    "replace_force_set",
    "force_set_files",
    "solve_for_equilibrium_for_auxiliary_states",
    "maximum_number_of_integrator_steps",
    "maximum_integrator_step_size",
    "minimum_integrator_step_size",
    "integrator_error_tolerance",
    "output_motion_file",
    "output_gen_force_file",
    "output_body_forces_file",
    "report_errors",
    "report_marker_locations",
    "constraint_weight",
    "accuracy",
    "forces_to_exclude",
    "coordinates_in_degrees",
    "joints_to_report_body_forces",
    "ControllerSet",
    "states_file",
    "speeds_file",
    "coordinate_file",
};

typedef struct reading {
  lb_setup s;
  lb_osim_tool t;
} reading;

// --- tasks ---

typedef struct task_list {
  lb_setup* s;
  int count, capacity;
  lb_osim_task* item;
} task_list;

static void read_task(task_list* L, lb_xml* e) {
  lb_setup* s = L->s;
  const bool on = lb_osim_flag(&s->o, e, "apply", true);
  const double weight = lb_osim_number(&s->o, e, "weight", 1);
  e->seen = true;
  if (!(weight >= 0)) {
    lb_complain(&s->r, e->place, "the weight of '%.60s' must not be negative", e->name);
    return;
  }
  const char* name = lb_osim_name(&s->o, e->name);
  lb_osim_task* grown = LB_GROW(s->r.keep, L->item, L->count, &L->capacity);
  if (!grown) {
    lb_lack(&s->r);
    return;
  }
  L->item = grown;
  L->item[L->count++] =
      (lb_osim_task){lb_arena_text(s->r.keep, name, strlen(name)), e->place, on ? weight : 0};
}

// Coordinates that are not to follow any value do no harm.
void lb_setup_tasks(lb_setup* s, lb_xml* set, int* count, const lb_osim_task** task) {
  task_list L = {.s = s};
  for (lb_xml* e = set ? lb_osim_first(&s->o, set, NULL) : NULL; e; e = e->next) {
    if (strcmp(e->tag, "IKMarkerTask") == 0) {
      read_task(&L, e);
    } else if (strcmp(e->tag, "IKCoordinateTask") == 0) {
      e->seen =
          !lb_osim_flag(&s->o, e, "apply", true) || lb_osim_number(&s->o, e, "weight", 1) == 0;
    }
  }
  *count = L.count;
  *task = L.item;
}

// --- tools ---

static void read_times(reading* R, lb_xml* tool) {
  R->t.begin = lb_osim_number(&R->s.o, tool, "initial_time", R->t.begin);
  R->t.end = lb_osim_number(&R->s.o, tool, "final_time", R->t.end);
  lb_osim_range(&R->s.o, tool, "time_range", &R->t.begin, &R->t.end);
}

static void read_static(reading* R, lb_xml* e) {
  const double power = lb_osim_number(&R->s.o, e, "activation_exponent", 2);
  static const char* const QUIET[] = {"start_time", "end_time", "step_interval", "in_degrees",
                                      "use_model_force_set"};
  for (size_t i = 0; i < sizeof QUIET / sizeof *QUIET; i++) {
    lb_osim_property(&R->s.o, e, QUIET[i]);
  }
  if (!lb_osim_flag(&R->s.o, e, "on", true)) {
    return;
  }
  if (power != 2 && power != 3) {
    lb_complain(&R->s.r, e->place, "<activation_exponent> must be 2 or 3, not %g", power);
  }
  if (!lb_osim_flag(&R->s.o, e, "use_muscle_physiology", true)) {
    lb_complain(&R->s.r, e->place,
                "<use_muscle_physiology> must be true: forces by length and speed always count");
  }
  R->t.power = (int)power;
}

// Muscles' lengths and joint loads come out anyway.
static void read_analyses(reading* R, lb_xml* tool) {
  lb_xml* set = lb_osim_property(&R->s.o, tool, "AnalysisSet");
  for (lb_xml* e = set ? lb_osim_first(&R->s.o, set, NULL) : NULL; e; e = e->next) {
    const bool shares = strcmp(e->tag, "StaticOptimization") == 0;
    if (shares) {
      e->seen = true;
      read_static(R, e);
    } else if (strcmp(e->tag, "MuscleAnalysis") == 0 || strcmp(e->tag, "JointReaction") == 0) {
      e->first = NULL; // nothing of it is needed
      e->seen = true;
    }
  }
}

// Whether it is on, in the words of several versions.
static bool is_on(reading* R, lb_xml* controller) {
  return lb_osim_flag(&R->s.o, controller, "enabled", true) &&
         lb_osim_flag(&R->s.o, controller, "enable_controller", true) &&
         !lb_osim_flag(&R->s.o, controller, "isDisabled", false);
}

// Controls of a ForwardTool are those of its controller; others are named.
static void read_controllers(reading* R, lb_xml* tool) {
  lb_xml* set = lb_osim_property(&R->s.o, tool, "ControllerSet");
  for (lb_xml* e = set ? lb_osim_first(&R->s.o, set, NULL) : NULL; e; e = e->next) {
    const bool on = is_on(R, e);
    if (!on) {
      e->first = NULL;
      e->seen = true;
    } else if (strcmp(e->tag, "ControlSetController") == 0) {
      e->seen = true;
      lb_osim_word(&R->s.o, e, "actuator_list");
      R->t.controls = lb_setup_file(&R->s, e, "controls_file");
    }
  }
}

static void read_forward(reading* R, lb_xml* tool) {
  R->t.states = lb_setup_file(&R->s, tool, "states_file");
  R->t.tolerance = lb_osim_number(&R->s.o, tool, "integrator_error_tolerance", 0);
  R->t.equilibrium =
      lb_osim_flag(&R->s.o, tool, "solve_for_equilibrium_for_auxiliary_states", false);
  read_controllers(R, tool);
  if (lb_osim_flag(&R->s.o, tool, "use_specified_dt", false)) {
    lb_remark(&R->s.r, tool->place, "<use_specified_dt> is not followed: steps are chosen here");
  }
}

// Muscles and motors are left out by themselves; what springs and contacts exert counts.
static void check_excluded(reading* R, lb_xml* tool) {
  lb_xml* at = lb_osim_property(&R->s.o, tool, "forces_to_exclude");
  char* text = at ? lb_arena_text(&R->s.r.scratch, at->text, strlen(at->text)) : NULL;
  char* state = NULL;
  for (char* s = text ? strtok_r(text, " \t\r\n", &state) : NULL; s;
       s = strtok_r(NULL, " \t\r\n", &state)) {
    if (strcasecmp(s, "muscles") != 0 && strcasecmp(s, "actuators") != 0) {
      lb_remark(&R->s.r, at->place,
                lb_compose(&R->s.r,
                           "'%.40s' of <forces_to_exclude> is not left out: only muscles and "
                           "actuators are",
                           s));
    }
  }
}

static void read_tool(reading* R) {
  lb_xml* tool = R->s.o.model;
  R->t.kind = tool->tag;
  R->t.place = tool->place;
  R->t.model = lb_setup_file(&R->s, tool, "model_file");
  R->t.markers = lb_setup_file(&R->s, tool, "marker_file");
  R->t.motion = lb_setup_file(&R->s, tool, "coordinates_file");
  R->t.forces = lb_setup_file(&R->s, tool, "external_loads_file");
  const double cutoff =
      lb_osim_number(&R->s.o, tool, "lowpass_cutoff_frequency_for_coordinates", -1);
  R->t.cutoff = cutoff > 0 ? cutoff : (double)NAN;
  read_times(R, tool);
  if (strcmp(tool->tag, "ForwardTool") == 0) {
    read_forward(R, tool);
  }
  lb_setup_tasks(&R->s, lb_osim_property(&R->s.o, tool, "IKTaskSet"), &R->t.ntask, &R->t.task);
  read_analyses(R, tool);
  check_excluded(R, tool);
  for (size_t i = 0; i < sizeof IDLE / sizeof *IDLE; i++) {
    lb_xml* idle = lb_xml_find(tool, IDLE[i]);
    if (idle) {
      idle->first = NULL;
    }
  }
  if (!R->t.model.path) {
    lb_complain(&R->s.r, tool->place, "<%s> must name a model in <model_file>", tool->tag);
  }
}

static lb_status read(const char* path, const char* const* element, void (*of)(reading*),
                      lb_arena* arena, lb_osim_tool* tool, lb_error* err) {
  reading R = {.t = {.begin = -INFINITY, .end = INFINITY, .cutoff = NAN}};
  lb_status status = lb_setup_open(&R.s, path, element, arena, err);
  if (status != LB_OK) {
    return status;
  }
  R.s.o.r = &R.s.r;
  of(&R);
  status = lb_setup_close(&R.s, &R.t.nnote, &R.t.note);
  if (status == LB_OK) {
    *tool = R.t;
  }
  return status;
}

lb_status lb_osim_tool_read(const char* path, lb_arena* arena, lb_osim_tool* tool, lb_error* err) {
  static const char* const ELEMENT[] = {"InverseKinematicsTool", "InverseDynamicsTool",
                                        "AnalyzeTool", "ForwardTool", NULL};
  return read(path, ELEMENT, read_tool, arena, tool, err);
}

static void read_set(reading* R) {
  lb_xml* at = R->s.o.model;
  R->t.kind = at->tag;
  R->t.place = at->place;
  if (strcmp(at->tag, "IKTaskSet") == 0) {
    lb_setup_tasks(&R->s, at, &R->t.ntask, &R->t.task);
  } else {
    read_tool(R);
  }
}

lb_status lb_osim_tasks_read(const char* path, lb_arena* arena, lb_osim_tool* tool, lb_error* err) {
  static const char* const ELEMENT[] = {"IKTaskSet", "InverseKinematicsTool", NULL};
  return read(path, ELEMENT, read_set, arena, tool, err);
}
