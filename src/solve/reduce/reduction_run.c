// The reduction of a scene's elastic bodies: a full run, a basis and a reduced body for each kind
// of body, and the scene once more with them.
#include "solve/reduce/reduction_run.h"

#include <math.h>
#include <string.h>

#include "solve/diagnose/diagnose_range.h"

enum { MOST_SNAPSHOTS = 400 }; // of one kind of body

lb_reduce_options lb_reduce_default(void) {
  return (lb_reduce_options){
      .modes = 40, .missed = 1e-6, .frames = 400, .duration = NAN, .step = NAN, .threads = 1};
}

// Bodies alike, with the snapshots of all of them.
typedef struct kind {
  int count;
  int* body;                       // [count] of the scene
  lb_snapshots all, first, second; // the whole run and its halves
  lb_stored pca, linear;
  lb_reduce_body* out;
} kind;

typedef struct job {
  const lb_scene* scene;
  const lb_reduce_options* o;
  lb_arena* arena; // of the reduction
  lb_full_run* full;
  lb_reduction* out;
  int nkind;
  kind* kind;
  lb_error* err;
} job;

static lb_status no_memory(job* j) {
  return lb_error_add(j->err, LB_NO_MEMORY, (lb_place){0}, "no memory for the reduction");
}

// --- kinds of bodies ---

static bool find_kinds(job* j) {
  int* kind_of = LB_TAKE(j->arena, int, j->scene->nbody);
  j->kind = LB_TAKE(j->arena, kind, j->full->nelastic);
  if (!kind_of || !j->kind) {
    return false;
  }
  for (int i = 0; i < j->full->nelastic; i++) {
    const int body = j->full->elastic[i];
    const int twin = lb_elastic_twin(j->scene, body);
    kind_of[body] = twin >= 0 ? kind_of[twin] : j->nkind++;
    kind* k = &j->kind[kind_of[body]];
    k->body = k->body ? k->body : LB_TAKE(j->arena, int, j->full->nelastic);
    if (!k->body) {
      return false;
    }
    k->body[k->count++] = body;
  }
  return true;
}

// Rows of the frames [from, to) of all bodies of a kind, in the order of time, thinned.
static bool take_rows(job* j, const kind* k, int from, int to, lb_snapshots* out) {
  const int rows = (to - from) * k->count;
  const int taken = rows < MOST_SNAPSHOTS ? rows : MOST_SNAPSHOTS;
  *out = (lb_snapshots){.count = taken, .u = LB_TAKE(j->arena, const double*, taken)};
  for (int i = 0; out->u && i < taken; i++) {
    const int row = (int)((long)i * rows / taken);
    const int frame = from + row / k->count, body = k->body[row % k->count];
    int e = 0;
    while (j->full->elastic[e] != body) {
      e++;
    }
    out->ndof = j->full->ndof[e];
    out->u[i] = j->full->u[e] + (size_t)frame * (size_t)out->ndof;
  }
  return out->u != NULL;
}

// --- one kind ---

// Part of the second half that a basis of the first half lacks: an estimate for unseen motions.
static lb_status measure_unseen(job* j, kind* k, const lb_elastic_body* b,
                                const lb_pca_options* options) {
  lb_arena scratch;
  lb_arena_init(&scratch, j->arena->allocator);
  lb_basis half;
  lb_pca_report report;
  double* eta;
  lb_status status = lb_pca_create(b->fem, &b->face[0], b->nface - 1, &b->face[1], &k->first,
                                   options, &scratch, &half, &report, NULL);
  k->out->unseen = 1;
  if (status == LB_OK) {
    status = lb_pca_coordinates(b->fem, &half, &k->second, &scratch, &eta, &k->out->unseen);
  }
  lb_arena_release(&scratch);
  return status == LB_INVALID ? LB_OK : status; // nothing moved in the first half
}

static lb_status make_pca(job* j, kind* k, const lb_elastic_body* b, lb_arena* scratch) {
  const lb_pca_options options = {j->o->modes, j->o->missed, j->o->attachments};
  lb_basis basis;
  lb_pca_report report;
  lb_cubature_report cubature;
  double* eta = NULL;
  lb_status status = lb_pca_create(b->fem, &b->face[0], b->nface - 1, &b->face[1], &k->all,
                                   &options, scratch, &basis, &report, j->err);
  if (status == LB_OK) {
    status = lb_pca_coordinates(b->fem, &basis, &k->all, scratch, &eta, &k->out->missed);
  }
  if (status == LB_OK) {
    status = measure_unseen(j, k, b, &options);
  }
  if (status == LB_OK) {
    const lb_reduce_input in = {j->scene, k->count, k->body, b, &basis, k->all.count, eta};
    status = lb_reduce_store(&in, j->arena, &k->pca, &cubature);
  }
  if (status == LB_OK) {
    k->out->r = basis.r;
    k->out->points = cubature.points;
    k->out->cubature = cubature.error;
    k->out->nodes = b->mesh.nnode;
    k->out->samples = k->all.count;
  }
  return status;
}

// Basis of r modes of vibration, of the body held and free at its other faces, and their
// derivatives: m modes and all pairs of the softest d, m + d (d + 1) / 2 = r with the largest d <=
// m.
static lb_status make_linear(job* j, kind* k, const lb_elastic_body* b, lb_arena* scratch) {
  const int r = k->out->r;
  int d = 0;
  while ((d + 1) * (d + 2) / 2 + d + 1 <= r) {
    d++;
  }
  const lb_basis_options options = {r - d * (d + 1) / 2, d, r};
  lb_basis basis;
  lb_cubature_report cubature;
  lb_status status =
      lb_basis_create(b->fem, &b->face[0], 0, NULL, &options, scratch, &basis, j->err);
  if (status == LB_OK) {
    const lb_reduce_input in = {j->scene, k->count, k->body, b, &basis, 0, NULL};
    status = lb_reduce_store(&in, j->arena, &k->linear, &cubature);
  }
  return status;
}

static lb_status check_mesh(job* j, const kind* k, const lb_elastic_body* b) {
  return k->all.ndof == b->fem->ndof
             ? LB_OK
             : lb_error_add(j->err, LB_INVALID, (lb_place){0},
                            "body '%s' has a mesh of %d nodes, but had %d in the full run",
                            j->scene->body[k->body[0]].name, b->mesh.nnode, k->all.ndof / 3);
}

static lb_status make_kind(job* j, kind* k) {
  const int n = j->full->nframe;
  if (!take_rows(j, k, 0, n, &k->all) || !take_rows(j, k, 0, n / 2, &k->first) ||
      !take_rows(j, k, n / 2, n, &k->second)) {
    return no_memory(j);
  }
  lb_elastic_body b;
  lb_scene full = *j->scene; // with the meshes of a full run
  full.solver.elastic = LB_SPACE_FULL;
  lb_status status = lb_elastic_open(&full, k->body[0], j->arena->allocator, &b, j->err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena scratch;
  lb_arena_init(&scratch, j->arena->allocator);
  status = check_mesh(j, k, &b);
  status = status == LB_OK ? make_pca(j, k, &b, &scratch) : status;
  status = status == LB_OK ? make_linear(j, k, &b, &scratch) : status;
  lb_arena_release(&scratch);
  lb_elastic_close(&b);
  return status == LB_NO_MEMORY ? no_memory(j) : status;
}

static lb_status make_kinds(job* j) {
  lb_reduction* out = j->out;
  out->nbody = j->nkind;
  out->body = LB_TAKE(j->arena, lb_reduce_body, j->nkind);
  lb_status status = out->body ? LB_OK : no_memory(j);
  for (int i = 0; i < j->nkind && status == LB_OK; i++) {
    kind* k = &j->kind[i];
    k->out = &out->body[i];
    k->out->nbody = k->count;
    status = make_kind(j, k);
    k->out->name = (const char**)k->pca.body;
    k->out->stored = &k->pca;
  }
  return status;
}

// --- range of loads ---

static int carried_by(const lb_scene* scene, int body, const char* face) {
  for (int j = 0; j < scene->njoint; j++) {
    if (scene->joint[j].parent == body && strcmp(scene->joint[j].hold.face_name[0], face) == 0) {
      return scene->joint[j].child;
    }
  }
  return -1;
}

// The largest over all bodies of a kind.
static lb_status note_loads(job* j) {
  const lb_full_run* r = j->full;
  const lb_track track = {r->nframe, r->nbody, r->time, r->pose, j->scene->gravity, 1};
  for (int i = 0; i < j->nkind; i++) {
    kind* k = &j->kind[i];
    double* limit = LB_TAKE(j->arena, double, 6 * k->pca.nface);
    double* every = LB_TAKE(j->arena, double, 1);
    if (!limit || !every) {
      return no_memory(j);
    }
    for (int f = 0; f < k->pca.nface; f++) {
      for (int b = 0; b < k->count; b++) {
        const int of = f == 0 ? k->body[b] : carried_by(j->scene, k->body[b], k->pca.face.name[f]);
        double most[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        if (of >= 0) {
          lb_track_most(&track, k->body[b], of, most);
        }
        for (int a = 0; a < 6; a++) {
          limit[6 * f + a] = fmax(limit[6 * f + a], most[a]);
        }
      }
    }
    *every = r->nframe > 1 ? r->time[1] - r->time[0] : 0;
    k->pca.range.load_limit = limit;
    k->pca.range.load_every = every;
  }
  return LB_OK;
}

// --- replays ---

static lb_status replay(job* j, const lb_replayer* p, int which, const lb_stored* const* stored,
                        double* error, double* rms) {
  static const char* const name[] = {[LB_REPLAY_PCA] = "principal components of the full run",
                                     [LB_REPLAY_LINEAR] =
                                         "modes of vibration and their derivatives",
                                     [LB_REPLAY_SCENE] = "as the scene says, without the full run"};
  lb_reduce_replay* r = &j->out->replay[which];
  *r = (lb_reduce_replay){.name = name[which]};
  return lb_replay(p, stored, j->arena, r, error, rms, j->err);
}

static lb_status replay_all(job* j) {
  const lb_stored** pca = LB_TAKE(j->arena, const lb_stored*, j->scene->nbody);
  const lb_stored** linear = LB_TAKE(j->arena, const lb_stored*, j->scene->nbody);
  double* error = LB_TAKE(j->arena, double, 2 * j->full->nelastic);
  if (!pca || !linear || !error) {
    return no_memory(j);
  }
  double* rms = error + j->full->nelastic;
  for (int i = 0; i < j->nkind; i++) {
    for (int b = 0; b < j->kind[i].count; b++) {
      pca[j->kind[i].body[b]] = &j->kind[i].pca;
      linear[j->kind[i].body[b]] = &j->kind[i].linear;
    }
  }
  const lb_replayer p = {j->scene, j->o, j->full, pca};
  lb_status status = replay(j, &p, LB_REPLAY_LINEAR, linear, error, rms);
  status = status == LB_OK ? replay(j, &p, LB_REPLAY_SCENE, NULL, error, rms) : status;
  status = status == LB_OK ? replay(j, &p, LB_REPLAY_PCA, pca, error, rms) : status;
  for (int e = 0; e < j->full->nelastic && status == LB_OK; e++) {
    for (int i = 0; i < j->nkind; i++) {
      if (pca[j->full->elastic[e]] == &j->kind[i].pca) {
        lb_reduce_body* out = j->kind[i].out;
        out->face_error = fmax(out->face_error, error[e]);
        out->face_rms = fmax(out->face_rms, rms[e]);
      }
    }
  }
  return status;
}

// --- what is written into the files ---

static lb_status note_figures(job* j) {
  for (int i = 0; i < j->nkind; i++) {
    const lb_reduce_body* b = j->kind[i].out;
    const struct {
      const char* name;
      double value;
    } figure[] = {
        {"snapshots", b->samples},
        {"part of the snapshots outside the shapes, by mass", b->missed},
        {"the same of the run's second half in shapes of its first", b->unseen},
        {"cubature error of internal forces on the training", b->cubature},
        {"replay: worst face error over the amplitude of vibration", b->face_error},
        {"replay: rms face error over the amplitude of vibration", b->face_rms},
        {"replay: worst distance of any body in the scene [m]",
         j->out->replay[LB_REPLAY_PCA].body_error},
        {"modes and derivatives, as many: worst face error of the scene",
         j->out->replay[LB_REPLAY_LINEAR].face_error},
    };
    const int n = sizeof figure / sizeof *figure;
    const char** name = LB_TAKE(j->arena, const char*, n);
    double* value = LB_TAKE(j->arena, double, n);
    if (!name || !value) {
      return no_memory(j);
    }
    for (int f = 0; f < n; f++) {
      name[f] = figure[f].name;
      value[f] = figure[f].value;
    }
    j->kind[i].pca.nfigure = n;
    j->kind[i].pca.figure_name = name;
    j->kind[i].pca.figure = value;
  }
  return LB_OK;
}

// --- all of it ---

// A run that is read lasts as long as it lasts.
static lb_status read_full_run(job* j) {
  lb_status status = lb_full_run_read(j->scene, j->o->from, j->arena, j->full, j->err);
  if (status == LB_OK && !isnan(j->o->duration)) {
    const double until = j->full->time[j->full->nframe - 1];
    if (!(fabs(j->o->duration - until) <= 1e-9)) {
      status = lb_error_add(j->err, LB_INVALID, (lb_place){.file = j->o->from},
                            "the full run there lasts %g s, not %g s: leave the duration out",
                            until, j->o->duration);
    }
  }
  return status;
}

static lb_status get_full_run(job* j) {
  const lb_status status =
      j->o->from ? read_full_run(j) : lb_full_run_make(j->scene, j->o, j->arena, j->full, j->err);
  if (j->full->nframe > 1 && j->o->ran) {
    j->o->ran(j->o->context, j->full);
  }
  if (status != LB_OK) {
    return status;
  }
  j->out->frames = j->full->nframe;
  j->out->full_seconds = j->full->wall_seconds;
  j->out->full_steps_per_second = j->full->steps_per_second;
  for (int i = 0; i < j->full->nelastic; i++) {
    j->out->degrees += j->full->ndof[i];
  }
  return find_kinds(j) ? LB_OK : no_memory(j);
}

static bool has_elastic(const lb_scene* scene) {
  for (int i = 0; i < scene->nbody; i++) {
    if (scene->body[i].elastic) {
      return true;
    }
  }
  return false;
}

lb_status lb_reduce(const lb_scene* scene, const lb_reduce_options* options,
                    const lb_allocator* allocator, lb_reduction** reduction, lb_error* err) {
  if (!has_elastic(scene)) {
    return lb_error_add(err, LB_INVALID, (lb_place){.file = scene->file},
                        "the scene has no elastic body: there is nothing to reduce");
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  job j = {.scene = scene, .o = options, .arena = &arena, .err = err};
  j.out = LB_TAKE(&arena, lb_reduction, 1);
  j.full = LB_TAKE(&arena, lb_full_run, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  const char* name = scene->file ? scene->file : scene->name;
  lb_status status = j.out && j.full && kept ? LB_OK : no_memory(&j);
  if (status == LB_OK) {
    j.out->scene = lb_arena_text(&arena, name, strlen(name));
    j.out->full = j.full;
  }
  lb_status (*const step[])(job*) = {get_full_run, make_kinds, note_loads, replay_all,
                                     note_figures};
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&j);
  }
  if (status != LB_OK) {
    lb_arena_release(&arena);
    return status;
  }
  *kept = arena;
  j.out->storage = kept;
  *reduction = j.out;
  return LB_OK;
}

void lb_reduction_release(lb_reduction* reduction) {
  if (reduction) {
    lb_arena arena = *(lb_arena*)reduction->storage;
    lb_arena_release(&arena);
  }
}
