// Setups of OpenSim's tools in place of scenes, and tasks of inverse kinematics.
#include <math.h>
#include <string.h>

#include "geom/mesh/file_load.h"
#include "job/job_inside.h"
#include "limber/fit.h"
#include "limber/inverse.h"
#include "scene/opensim/osim_tool.h"
#include "scene/yaml/names.h"

void lb_job_pass_on(lb_job* j, int count, const lb_message* note) {
  for (int i = 0; i < count; i++) {
    lb_job_warn_at(j, note[i].place, "%s", note[i].text);
  }
}

lb_status lb_job_read_markers(lb_job* j, const char* path, bool all, lb_markers** markers,
                              lb_error* err) {
  const lb_status status = lb_markers_read(path, &j->scene, all, j->arena.allocator, markers, err);
  if (status == LB_OK) {
    lb_job_pass_on(j, (*markers)->nnote, (*markers)->note);
  }
  return status;
}

void lb_job_warn_of_tables(lb_job* j, const lb_joint_motion* motion,
                           const lb_outer_forces* forces) {
  lb_job_pass_on(j, motion ? motion->nnote : 0, motion ? motion->note : NULL);
  lb_job_pass_on(j, forces ? forces->nnote : 0, forces ? forces->note : NULL);
}

// What a setup is for.
static const struct {
  const char *element, *verbs;
} USE[] = {{"InverseKinematicsTool", " ik analyse "},
           {"InverseDynamicsTool", " inverse muscle lengths muscle static muscle report "},
           {"AnalyzeTool", " inverse muscle lengths muscle static muscle report "},
           {"ForwardTool", " simulate "}};

static lb_status check_use(const lb_job* j, const lb_osim_tool* t, lb_error* err) {
  for (size_t i = 0; i < sizeof USE / sizeof *USE; i++) {
    if (strcmp(USE[i].element, t->kind) == 0 && !strstr(USE[i].verbs, j->type->name)) {
      return lb_error_add(err, LB_INVALID, t->place,
                          "<%s> is not for 'limber %s' (but for one of:%s)", t->kind, j->type->name,
                          USE[i].verbs);
    }
  }
  return LB_OK;
}

static bool is_setup(const lb_job* j) {
  return j->o.scene && !j->o.text && lb_path_has(j->o.scene, ".xml");
}

lb_status lb_job_check_file(const lb_osim_file* file, const char* what, lb_error* err) {
  return file->path ? lb_load_check(file->path, what, file->place, err) : LB_OK;
}

// A file that the command line does not say; it must be there.
static lb_status take_file(const char** to, const lb_osim_file* file, const char* what,
                           lb_error* err) {
  if (*to || !file->path) {
    return LB_OK;
  }
  *to = file->path;
  return lb_job_check_file(file, what, err);
}

static lb_status take_files(lb_job* j, const lb_osim_tool* t, lb_error* err) {
  const bool markers = strcmp(t->kind, "InverseKinematicsTool") == 0;
  j->o.tasks = j->o.tasks ? j->o.tasks : t->ntask ? j->o.scene : NULL;
  j->o.scene = NULL;
  const struct {
    const char** to;
    const lb_osim_file* file;
    const char* what;
  } all[] = {
      {&j->o.scene, &t->model, "model"},
      {&j->o.table, markers ? &t->markers : &t->motion, markers ? "table of markers" : "motion"},
      {&j->o.forces, &t->forces, "external loads"},
      {&j->o.states, &t->states, "table of states"},
      {&j->o.controls, &t->controls, "controls"}};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const lb_status one = take_file(all[i].to, all[i].file, all[i].what, err);
    status = status == LB_OK ? one : status;
  }
  return status;
}

// What the command line says goes first.
static void take(lb_job* j, const lb_osim_tool* t) {
  j->o.begin = fmax(j->o.begin, t->begin);
  j->o.end = fmin(j->o.end, t->end);
  if (isnan(j->o.cutoff) && !isnan(t->cutoff)) {
    j->o.cutoff = t->cutoff;
    j->o.filter = j->o.filter ? j->o.filter : "opensim";
  }
  j->o.power = t->power ? t->power : j->o.power;
  j->tolerance = t->tolerance;
  j->equilibrium = t->equilibrium;
  if (isnan(j->o.duration) && isfinite(j->o.end)) {
    j->o.duration = j->o.end - (isfinite(j->o.begin) ? j->o.begin : 0);
  }
}

lb_status lb_job_read_setup(lb_job* j, lb_error* err) {
  lb_osim_tool t;
  if (!is_setup(j)) {
    return LB_OK;
  }
  lb_status status = lb_osim_tool_read(j->o.scene, &j->arena, &t, err);
  status = status == LB_OK ? check_use(j, &t, err) : status;
  status = status == LB_OK ? take_files(j, &t, err) : status;
  if (status != LB_OK) {
    return status;
  }
  lb_job_pass_on(j, t.nnote, t.note);
  take(j, &t);
  if (j->o.table || strcmp(t.kind, "ForwardTool") == 0) {
    return LB_OK;
  }
  const bool markers = strcmp(t.kind, "InverseKinematicsTool") == 0;
  return lb_error_add(err, LB_INVALID, t.place, "<%s> names no file in <%s>", t.kind,
                      markers ? "marker_file" : "coordinates_file");
}

lb_status lb_job_need_table(const lb_job* j, const char* what, lb_error* err) {
  return j->o.table ? LB_OK
                    : lb_error_add(err, LB_INVALID, (lb_place){0},
                                   "'limber %s' needs a table of %s behind the scene, or a setup "
                                   "of OpenSim's (.xml) that names one",
                                   j->type->name, what);
}

// --- tasks ---

static void warn_of_task(lb_job* j, const lb_osim_task* task) {
  lb_nearest nearest = lb_nearest_to(task->marker);
  for (int i = 0; i < j->scene.nmarker; i++) {
    lb_nearest_offer(&nearest, j->scene.marker[i].name);
  }
  const char* near = nearest.best;
  lb_job_warn_at(j, task->place, "the model has no marker '%.80s'%s%.80s%s", task->marker,
                 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

// Weights of the scene's markers. What a set does not name keeps out, as in OpenSim.
int lb_job_weigh(lb_job* j, int ntask, const lb_osim_task* task) {
  int used = 0;
  for (int i = 0; i < j->scene.nmarker; i++) {
    j->scene.marker[i].weight = 0;
  }
  for (int k = 0; k < ntask; k++) {
    bool known = false;
    for (int i = 0; i < j->scene.nmarker; i++) {
      if (strcmp(j->scene.marker[i].name, task[k].marker) == 0) {
        j->scene.marker[i].weight = task[k].weight;
        known = true;
      }
    }
    used += known && task[k].weight > 0;
    if (!known && task[k].weight > 0) {
      warn_of_task(j, &task[k]);
    }
  }
  return used;
}

lb_status lb_job_read_tasks(lb_job* j, lb_error* err) {
  lb_osim_tool t;
  if (!j->o.tasks) {
    return LB_OK;
  }
  const lb_status status = lb_osim_tasks_read(j->o.tasks, &j->arena, &t, err);
  if (status != LB_OK) {
    return status;
  }
  if (strcmp(t.kind, "IKTaskSet") == 0) {
    lb_job_pass_on(j, t.nnote, t.note); // those of a tool were told
  }
  return lb_job_weigh(j, t.ntask, t.task) > 0
             ? LB_OK
             : lb_error_add(err, LB_INVALID, t.place,
                            "no task is about a marker of '%s', with a weight", j->scene.name);
}

static int count_between(const lb_markers* m, double begin, double end) {
  int count = 0;
  for (int i = 0; i < m->nsample; i++) {
    count += m->time[i] >= begin && m->time[i] <= end;
  }
  return count;
}

lb_status lb_job_trim(const lb_job* j, lb_markers* m, double more, int least, lb_error* err) {
  static const double SLACK = 1e-6; // [s]
  int first = 0, last = m->nsample - 1;
  const int asked = count_between(m, j->o.begin - SLACK, j->o.end + SLACK);
  while (first < m->nsample && m->time[first] < j->o.begin - more - SLACK) {
    first++;
  }
  while (last >= 0 && m->time[last] > j->o.end + more + SLACK) {
    last--;
  }
  if (asked < least) {
    return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                        "%d samples lie between the times that were asked for, and there must be "
                        "%d or more",
                        asked, least);
  }
  m->time += first;
  m->x += 3 * (size_t)first * (size_t)m->nmarker;
  m->nsample = last - first + 1;
  return LB_OK;
}
