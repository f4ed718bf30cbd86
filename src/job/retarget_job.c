// Retargeting: motor curves with which a flexible character does what its animator meant.
#include "job/retarget_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "job/job_text.h"
#include "job/retarget_basis.h"
#include "output/file/search_file.h"

typedef struct retarget_job {
  lb_comparison c; // first, since replays have one as well
  lb_targets* targets;
  lb_retarget_state* state;
  lb_search_history history;
  lb_replay baseline[LB_BASELINE_COUNT], perturbed[LB_PERTURBATION_COUNT], verified[2];
  lb_model* full;   // to verify with
  lb_curves* plain; // the input's, finely, where nothing was gained
  uint64_t key;
  bool told; // that the state cannot be written
  bool kept; // the state as it is now has been
} retarget_job;

enum { REPLAYS = 4 + LB_BASELINE_COUNT + LB_PERTURBATION_COUNT };

// --- loading ---

static lb_retarget_options search_options(lb_job* j) {
  lb_retarget_options o = lb_retarget_default();
  o.step = j->o.step;
  o.threads = j->o.threads;
  o.memory = j->o.memory;
  o.method = j->o.method;
  o.context = j;
  return o;
}

static void share_room(retarget_job* own) {
  const struct {
    lb_replay* first;
    int count;
  } all[] = {{own->baseline, LB_BASELINE_COUNT},
             {own->perturbed, LB_PERTURBATION_COUNT},
             {own->verified, 2}};
  lb_deviation* room = own->c.was.track + 2 * own->c.what->ntrack;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    for (int i = 0; i < all[k].count; i++, room += own->c.what->ntrack) {
      all[k].first[i].track = room;
    }
  }
}

// The model with every node, for the end.
static lb_status make_full(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  if (!j->o.verify) {
    return LB_OK;
  }
  j->scene.solver.elastic = LB_SPACE_FULL;
  const lb_status status = lb_model_create(&j->scene, j->arena.allocator, &own->full, err);
  j->scene.solver.elastic = LB_SPACE_REDUCED;
  return status;
}

// All that can be wrong with what is asked for is reported before anything long is done.
static lb_status load(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_status status = lb_job_make_model(j, err);
  status = status == LB_OK ? make_full(j, err) : status;
  if (status == LB_OK) {
    status = lb_comparison_create(j, &own->c, j->model, REPLAYS, err);
  }
  if (status != LB_OK) {
    return status;
  }
  const lb_retarget_options o = search_options(j);
  share_room(own);
  own->history.allocator = j->arena.allocator;
  return lb_retarget_check(j->model, own->c.what, own->c.input, &o, err);
}

// --- the search ---

// Runs whose progress nobody watches, side by side with others.
static lb_simulate_options alone(lb_job* j, int threads) {
  lb_simulate_options o = lb_job_runs(j);
  o.duration = NAN;
  o.threads = threads;
  o.progress = (lb_progress){0};
  return o;
}

// Target, and the motion as it was.
static lb_status look_around(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_comparison* c = &own->c;
  lb_simulate_options o = alone(j, j->o.threads);
  o.progress = lb_job_progress(j);
  lb_status status = lb_targets_quasistatic(j->model, c->what, &o, c->target, &own->targets, err);
  if (status == LB_OK) {
    status = lb_replay_run(j->model, c->what, NULL, c->target, &o, c->before, NULL, &c->was, err);
  }
  if (status == LB_OK) {
    status = lb_retarget_state_create(c->input, j->arena.allocator, &own->state, err);
  }
  return status;
}

static lb_status resume(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  bool found = true;
  lb_status status = LB_OK;
  own->key = lb_search_key(j->model, own->c.what, own->c.input, own->targets, j->o.step);
  own->state->method = j->o.method;
  if (j->o.resume && j->o.out) {
    status = lb_search_load(j->o.out, own->key, own->state, &own->history, &found, err);
  }
  if (!found) {
    lb_job_warn(j, "there is no search to go on with in %s: it begins anew", lb_job_place(j));
  }
  return status;
}

static void keep_state(lb_job* j, const lb_retarget_state* state) {
  retarget_job* own = j->own;
  lb_error err = lb_error_make(j->arena.allocator);
  own->kept = j->o.out && lb_search_save(j->o.out, own->key, state, &own->history, &err) == LB_OK;
  if (j->o.out && !own->kept) {
    lb_job_warn_of_state(j, &own->told, &err);
  }
  lb_error_clear(&err);
}

// Deviation over the whole motion, rms, in percent of that of the input's.
static double rms_left(const lb_search_history* h, const lb_retarget_value* value) {
  const double start = h->count > 0 ? h->value[0].deviation : NAN;
  return 100 * sqrt(value->deviation / start);
}

static bool news(void* context, const lb_retarget_news* n, const lb_retarget_state* state) {
  lb_job* j = context;
  retarget_job* own = j->own;
  const lb_progress progress = lb_job_progress(j);
  const lb_words left = isfinite(n->left) ? lb_text_duration(n->left) : (lb_words){"some time"};
  char text[200];
  if (own->history.count <= n->iteration) {   // else it was reported before it was stopped
    lb_search_note(&own->history, &n->value); // without memory for it the plot is shorter
  }
  keep_state(j, state);
  snprintf(text, sizeof text,
           "iteration %d: peak %.4g mm (was %.4g mm), rms %.4g %% of the start's, objective %.4g, "
           "%s left",
           n->iteration, 1e3 * n->value.peak, 1e3 * own->c.was.all.peak,
           rms_left(&own->history, &n->value), n->value.objective, left.text);
  return lb_progress_report(&progress, NAN, text);
}

// Within an iteration nobody is told anything, but a job may be cancelled.
static bool listen(void* context, double fraction, const char* what) {
  const lb_progress progress = lb_job_progress(context);
  (void)fraction;
  (void)what;
  return lb_progress_report(&progress, NAN, NULL);
}

static lb_status search(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_retarget_options o = search_options(j);
  lb_retarget_value value;
  o.news = news;
  o.progress = (lb_progress){listen, j};
  if (own->state->done) {
    return LB_OK;
  }
  keep_state(j, own->state); // the first iteration may be stopped, too
  const lb_status status = lb_retarget_run(j->model, own->c.what, own->c.input, own->targets, &o,
                                           own->state, &value, err);
  if (status == LB_OK) {
    keep_state(j, own->state);
  }
  return status;
}

// --- comparisons ---

typedef struct side {
  lb_job* j;
  lb_vibration mode[2];
  lb_status status[REPLAYS];
  lb_error err[REPLAYS];
} side;

static void play_baseline(void* context, int i) {
  side* s = context;
  lb_job* j = s->j;
  retarget_job* own = j->own;
  lb_curves* c = NULL;
  const lb_simulate_options o = alone(j, 1);
  own->baseline[i].name = lb_baseline_name((lb_baseline)i);
  own->baseline[i].words = lb_baseline_words((lb_baseline)i);
  s->status[i] = lb_baseline_curves(j->model, own->c.what, (lb_baseline)i, s->mode,
                                    j->arena.allocator, &c, &s->err[i]);
  if (s->status[i] == LB_OK) {
    s->status[i] = lb_replay_run(j->model, own->c.what, c, own->c.target, &o, NULL, NULL,
                                 &own->baseline[i], &s->err[i]);
  }
  lb_curves_release(c);
}

static void play_perturbed(void* context, int i) {
  side* s = context;
  lb_job* j = s->j;
  retarget_job* own = j->own;
  const lb_simulate_options o = alone(j, 1);
  s->status[i] = lb_replay_perturbed(i, j->model, own->c.what, own->state->curves, own->c.target,
                                     &o, &own->perturbed[i], &s->err[i]);
}

// All of one kind side by side; the first that failed.
static lb_status play_all(side* s, int count, void (*play)(void*, int), lb_error* err) {
  lb_status first = LB_OK;
  for (int i = 0; i < count; i++) {
    s->err[i] = lb_error_make(s->j->arena.allocator);
  }
  lb_parallel_for(s->j->o.threads, count, play, s);
  for (int i = 0; i < count; i++) {
    if (s->status[i] != LB_OK && first == LB_OK) {
      first = s->status[i];
      lb_error_append(err, &s->err[i]);
    }
    lb_error_clear(&s->err[i]);
  }
  return first;
}

static lb_status compare(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_retarget_result* r = &own->c.result;
  side s = {.j = j};
  lb_status status = LB_OK;
  if (j->o.baseline) {
    status = lb_modes_to_shape(j->model, j->arena.allocator, s.mode, err);
    status = status == LB_OK ? play_all(&s, LB_BASELINE_COUNT, play_baseline, err) : status;
    r->nbaseline = status == LB_OK ? LB_BASELINE_COUNT : 0;
  }
  if (j->o.perturb && status == LB_OK) {
    status = play_all(&s, LB_PERTURBATION_COUNT, play_perturbed, err);
    r->nperturbed = status == LB_OK ? LB_PERTURBATION_COUNT : 0;
  }
  r->baseline = own->baseline;
  r->perturbed = own->perturbed;
  return status;
}

// --- the end ---

// Whether a motion is farther from the target than another in one of the figures that are shown of
// what is tracked.
static bool is_worse(const lb_retarget* w, const lb_deviation* a, const lb_deviation* b) {
  bool places = false;
  for (int i = 0; i < w->ntrack; i++) {
    places = places || w->track[i].position > 0;
  }
  return places ? a->peak > b->peak || a->rms > b->rms : a->angle > b->angle;
}

// Nothing was gained: the curves stay those of the input, as splines that are fine enough to be.
static lb_status keep_input(lb_job* j, lb_error* err) {
  static const double FINE = 5e-3; // [s]
  retarget_job* own = j->own;
  lb_comparison* c = &own->c;
  const lb_simulate_options o = alone(j, j->o.threads);
  lb_retarget fine = *c->what;
  fine.spacing = fmin(fine.spacing, FINE);
  j->recording->nframe = 0;
  lb_status status = lb_curves_fit(j->model, &fine, j->arena.allocator, &own->plain, err);
  return status == LB_OK ? lb_replay_run(j->model, c->what, NULL, c->target, &o, j->recording,
                                         &j->summary, &c->is, err)
                         : status;
}

static const double LITTLE = 0.01; // of the input's peak: hardly anything

// What keeps the curves from coming nearer; nobody asks where hardly anything is left.
static lb_status explain(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_retarget_result* r = &own->c.result;
  lb_retarget_options o = search_options(j);
  o.progress = (lb_progress){listen, j};
  r->limiting = lb_limiting_none();
  if (r->is.all.peak < LITTLE * r->was.all.peak) {
    return LB_OK;
  }
  lb_status status =
      lb_limiting_find(j->model, r->what, own->targets, own->state->curves, &o, &r->limiting, err);
  bool buckles = false;
  status = status == LB_OK ? lb_target_buckles(own->c.target, &buckles, err) : status;
  if (r->limiting.factor == LB_LIMITING_REACH && r->niteration >= r->what->iterations) {
    r->limiting.factor = LB_LIMITING_ITERATIONS;
  }
  r->limiting.factor = buckles ? LB_LIMITING_WEIGHT : r->limiting.factor;
  r->explained = status == LB_OK;
  return status;
}

// The basis's error, measured or estimated. It may be much where hardly anything seems left.
static lb_status look_at_basis(lb_job* j, lb_error* err) {
  retarget_job* own = j->own;
  lb_retarget_result* r = &own->c.result;
  const lb_status status = j->o.verify        ? lb_basis_verify(j, r, own->full, own->verified, err)
                           : j->o.no_estimate ? LB_OK
                                              : lb_basis_estimate(j, r, err);
  const bool much = r->is.basis >= LITTLE * r->was.all.peak;
  r->explained = r->explained || (much && r->limiting.factor == LB_LIMITING_BASIS);
  return status;
}

static lb_status finish(lb_job* j, lb_error* err) {
  lb_status status = explain(j, err);
  status = status == LB_OK ? look_at_basis(j, err) : status;
  return status == LB_OK ? compare(j, err) : status;
}

// Motion with the new curves, and what it is compared with. A search that was stopped is shown as
// far as it came.
static lb_status conclude(lb_job* j, lb_status outcome, lb_error* err) {
  retarget_job* own = j->own;
  lb_comparison* c = &own->c;
  const lb_simulate_options o = alone(j, j->o.threads);
  lb_status status = lb_replay_run(j->model, c->what, own->state->curves, c->target, &o,
                                   j->recording, &j->summary, &c->is, err);
  const bool worse = status == LB_OK && is_worse(c->what, &c->is.all, &c->was.all);
  status = worse ? keep_input(j, err) : status;
  lb_comparison_conclude(j, c, own->plain ? own->plain : own->state->curves, outcome == LB_OK);
  c->result.unchanged = worse;
  c->result.was.basis = c->result.is.basis = NAN; // until it is looked at
  c->result.niteration = own->state->iteration;
  c->result.nhistory = own->history.count;
  c->result.history = own->history.value;
  return status == LB_OK && outcome == LB_OK ? finish(j, err) : status;
}

static lb_status run(lb_job* j, lb_error* err) {
  lb_status status = look_around(j, err);
  status = status == LB_OK ? resume(j, err) : status;
  if (status != LB_OK) {
    return status;
  }
  const lb_status outcome = search(j, err);
  if (outcome != LB_OK && outcome != LB_INTERRUPTED) {
    return outcome;
  }
  status = conclude(j, outcome, err);
  return status == LB_OK ? outcome : status;
}

// --- results ---

// Results could not be written: see to it that what was found can be had without searching again.
static void rescue(lb_job* j) {
  retarget_job* own = j->own;
  const char* tmp = getenv("TMPDIR");
  char dir[4096];
  if (!own->kept) {
    keep_state(j, own->state);
  }
  snprintf(dir, sizeof dir, "%s/limber-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (own->kept) {
    lb_job_warn(j,
                "nothing is lost: when %s can be written again, the same command with --resume "
                "writes the rest without a new search",
                j->o.out);
  } else if (mkdtemp(dir) &&
             lb_search_save(dir, own->key, own->state, &own->history, NULL) == LB_OK) {
    lb_job_warn(j,
                "nothing is lost: put %s/retarget.state into a folder that can be written, and "
                "--out of that folder with --resume writes the results without a new search",
                dir);
  } else {
    lb_job_warn(j, "the search could not be kept in %s either, and has to be done again", dir);
  }
}

static lb_status write(lb_job* j, lb_error* err) {
  const lb_status status = lb_recording_write(j->recording, &j->summary, j->o.out, err);
  if (status == LB_IO) {
    rescue(j);
  }
  return status;
}

// Torques of motors that have limits, of the input too: it may need more. The search goes by all
// steps, of which recordings show some.
static void add_torques(lb_job* j, const lb_retarget_result* r) {
  const double most = r->nhistory > 0 ? r->history[r->nhistory - 1].torque : 0;
  for (int i = 0; i < r->what->nmotor; i++) {
    const int motor = r->what->motor[i];
    if (isfinite(r->what->limit[i].torque)) {
      const lb_channel* c = lb_recording_motor(r->after, motor).force_channel;
      const bool turns = c->kind == LB_CHANNEL_MOTOR_TORQUE;
      lb_job_row(j, "%s of motor '%s': %.4g %s, may be %.4g %s; the input needs %.4g %s",
                 turns ? "torque" : "force", c->name, lb_recording_peak_torque(r->after, motor),
                 lb_channel_unit(c->kind), r->what->limit[i].torque, lb_channel_unit(c->kind),
                 lb_recording_peak_torque(r->before, motor), lb_channel_unit(c->kind));
    }
  }
  if (most > LB_TORQUE_KEPT) {
    lb_job_warn(j,
                "limits of torques could not be kept: %.3g times as much is needed (raise them, "
                "or slow the motion down)",
                most);
  }
}

// What limits the curves most, and what would be left without that.
static void add_limiting(lb_job* j, const lb_retarget_result* r) {
  const lb_limiting_factor f = r->limiting.factor;
  if (r->unchanged) {
    lb_job_note(j, "Nothing was gained: the curves are those of the input.");
  }
  if (r->explained && f == LB_LIMITING_REACH) {
    lb_job_row(j, "limited by reach: other curves of these motors would do little better");
  } else if (r->explained && f == LB_LIMITING_WEIGHT) {
    lb_job_row(j, "limited by weight: elastic bodies buckle under it (stiffen what bends, or make "
                  "what it carries lighter)");
  } else if (r->explained && f == LB_LIMITING_ITERATIONS) {
    lb_job_row(j,
               "limited by iterations: the search ended after %d; with more of them, about %.0f %% "
               "of the rms would be left at most",
               r->niteration, 100 * fmin(1, r->limiting.left[f]));
  } else if (r->explained) {
    lb_job_row(j, "limited by %s: %s, about %.0f %% of the rms would be left", lb_limiting_name(f),
               lb_limiting_words(f), 100 * r->limiting.left[f]);
  }
}

static void add_basis(lb_job* j, const lb_retarget_result* r) {
  if (r->nverified > 0) {
    lb_job_row(j, "basis: up to %.3g mm from the motion with every node", 1e3 * r->is.basis);
  } else if (r->is.basis > 0) {
    lb_job_row(j, "basis: ± is an estimate by richer bases; --verify plays every node");
  } else if (isnan(r->is.basis)) {
    lb_job_row(j, "basis: its error is not known; --verify plays every node");
  }
}

static void report(lb_job* j) {
  const retarget_job* own = j->own;
  const lb_retarget_result* r = &own->c.result;
  char text[160];
  if (j->outcome == LB_INTERRUPTED && own->state) {
    lb_job_add_stopped(j, own->state->iteration);
  } else if (j->outcome == LB_INTERRUPTED) {
    lb_job_note(j, "Interrupted before the search began. Nothing was kept.");
  }
  if (j->outcome != LB_OK) {
    return;
  }
  lb_job_title(j, j->model->name, "%s%d iterations in %s",
               lb_comparison_text(&own->c, text, sizeof text), r->niteration,
               lb_text_duration(j->summary.wall_seconds).text);
  lb_job_add_deviations(j, NULL);
  lb_job_add_deviations(j, &r->was);
  for (int i = 0; i < r->nbaseline; i++) {
    lb_job_add_deviations(j, &r->baseline[i]);
  }
  lb_job_add_deviations(j, &r->is);
  for (int i = 0; i < r->nperturbed; i++) {
    lb_job_add_deviations(j, &r->perturbed[i]);
  }
  for (int i = 0; i < r->nverified; i++) {
    lb_job_add_deviations(j, &r->verified[i]);
  }
  add_limiting(j, r);
  add_basis(j, r);
  add_torques(j, r);
}

static void release(lb_job* j) {
  retarget_job* own = j->own;
  lb_retarget_state_release(own->state);
  lb_targets_release(own->targets);
  lb_comparison_release(&own->c);
  lb_curves_release(own->plain);
  lb_model_release(own->full);
  lb_release(own->history.allocator, own->history.value);
}

const lb_job_type lb_job_retarget = {.name = "retarget",
                                     .size = sizeof(retarget_job),
                                     .load = load,
                                     .run = run,
                                     .write = write,
                                     .report = report,
                                     .release = release,
                                     .reduced = true};
