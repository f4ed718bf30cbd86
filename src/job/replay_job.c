// Replay of the curves that retargeting found, beside those they were made of. With all nodes
// moving this tells whether they do as well as the search believed.
#include "job/job_text.h"
#include "job/retarget_job.h"

// One scene twice: with its own motors and with those of the search; and as the search saw it, in a
// basis, which is where its target comes from.
typedef struct replay_job {
  lb_comparison c;
  lb_scene found;
  bool read; // the scene with the motors of the search
  lb_model* reduced;
  lb_curves* curves;
  double done; // of all that is to be played, when the present run began
} replay_job;

// --- loading ---

// The scene with the motors of the search.
static lb_status read_motors(lb_job* j, lb_error* err) {
  replay_job* own = j->own;
  const char* motors = lb_job_path(j, j->o.from ? j->o.from : ".", "profiles.yaml");
  if (!motors) {
    return lb_job_no_memory(err);
  }
  lb_scene_origin from = lb_job_origin(j);
  from.motors = motors;
  const lb_status status = lb_scene_open(&from, j->arena.allocator, &own->found, err);
  own->read = status == LB_OK;
  return status;
}

// The model in a basis first: what is wrong with the scene is then reported soon.
static lb_status make_models(lb_job* j, lb_error* err) {
  replay_job* own = j->own;
  const lb_space asked = j->o.full ? LB_SPACE_FULL : j->scene.solver.elastic;
  j->scene.solver.elastic = LB_SPACE_REDUCED;
  lb_status status = lb_job_make_model(j, err);
  j->scene.solver.elastic = asked;
  own->reduced = j->model;
  if (status == LB_OK && asked != LB_SPACE_REDUCED) {
    j->model = NULL;
    status = lb_job_make_model(j, err);
  }
  return status;
}

static lb_status load(lb_job* j, lb_error* err) {
  replay_job* own = j->own;
  lb_status status = read_motors(j, err);
  status = status == LB_OK ? make_models(j, err) : status;
  status = status == LB_OK ? lb_comparison_create(j, &own->c, own->reduced, 2, err) : status;
  if (status == LB_OK) {
    status = lb_curves_of_scene(&own->found, own->c.what, j->arena.allocator, &own->curves, err);
  }
  return status;
}

// --- playing ---

// Progress of both runs, which take about the same time.
static bool show(void* context, double fraction, const char* what) {
  lb_job* j = context;
  const lb_progress progress = lb_job_progress(j);
  return lb_progress_report(&progress, ((replay_job*)j->own)->done + fraction / 2, what);
}

// The new curves come first: they are what one waits for.
static lb_status play(lb_job* j, lb_error* err) {
  replay_job* own = j->own;
  lb_comparison* c = &own->c;
  lb_simulate_options o = lb_job_runs(j);
  lb_status status = lb_quasistatic_motion(own->reduced, &o, c->target, err);
  o.progress = (lb_progress){show, j};
  if (status == LB_OK) {
    status = lb_replay_run(j->model, c->what, own->curves, c->target, &o, j->recording, &j->summary,
                           &c->is, err);
  }
  if (status == LB_OK) {
    own->done = 0.5;
    status = lb_replay_run(j->model, c->what, NULL, c->target, &o, c->before, NULL, &c->was, err);
  }
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  replay_job* own = j->own;
  const lb_status status = play(j, err);
  lb_comparison_conclude(j, &own->c, own->curves, status == LB_OK);
  return status;
}

// --- the report ---

static void report(lb_job* j) {
  const replay_job* own = j->own;
  const lb_recording* after = j->recording;
  char text[160];
  const bool both = own->c.before->nframe > 0;
  if (!j->kept) {
    lb_job_add_rest(j);
    return;
  }
  lb_job_title(j, j->model->name, "%s%s of motion%s in %s",
               both ? lb_comparison_text(&own->c, text, sizeof text) : "",
               lb_text_duration(after->time[after->nframe - 1]).text,
               lb_model_simulated(j->model) != j->model ? ", all nodes moving," : "",
               lb_text_duration(j->summary.wall_seconds).text);
  lb_job_add_deviations(j, NULL);
  if (both) {
    lb_job_add_deviations(j, &own->c.was);
  }
  lb_job_add_deviations(j, &own->c.is);
  if (j->outcome != LB_OK) {
    lb_job_note(j, "It did not come to its end: the figures are of what was played.");
  }
}

static void release(lb_job* j) {
  replay_job* own = j->own;
  lb_curves_release(own->curves);
  lb_comparison_release(&own->c);
  if (own->reduced != j->model) {
    lb_model_release(own->reduced);
  }
  if (own->read) {
    lb_scene_release(&own->found);
  }
}

const lb_job_type lb_job_replay = {.name = "replay",
                                   .size = sizeof(replay_job),
                                   .load = load,
                                   .run = run,
                                   .report = report,
                                   .release = release,
                                   .rereads = true};
