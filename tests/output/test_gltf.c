// scene.glb read back: structure, bounds, motion. With a folder as argument it writes sample
// results there instead, for the scripts that judge them with other programs.
#include <cjson/cJSON.h>

#include "counting.h"
#include "limber/simulate.h"
#include "output/file/writers.h"
#include "output/fixture.h"
#include "output/report/deformed.h"

// A rod that sags sideways with a ball at its end, and a spring to the ball.
static const char BENT[] =
    "gravity: [5, 0, 0]\n"
    "bodies:\n"
    "  rod: {elastic: {rod: {radius: 2 mm, to: [0, 0, 0.4]}, material: steel,\n"
    "                  elements: {along: 8, across: 1}, basis: {modes: 1, derivatives: 2}}}\n"
    "  ball: {shape: {sphere: {radius: 0.02}}, material: brass}\n"
    "joints:\n"
    "  clamp: {type: fixed, child: rod, face: start}\n"
    "  tip: {type: fixed, parent: rod, child: ball, face: end}\n"
    "springs: {line: {from: {at: [0.3, 0, 0.6]}, to: {body: ball}, stiffness: 1}}\n"
    "duration: 0.2\n";

// Deformables between two bones, one of which swings, and a rope that hangs on it.
static const char FLESH[] =
    "materials: {gel: {density: 500, young: 2e4, model: corotated, damping: {stiffness: 5 ms}}}\n"
    "bodies:\n"
    "  upper: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "  lower: {shape: {box: [0.2, 0.02, 0.02], position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  wall: {type: fixed, child: upper}\n"
    "  elbow: {type: revolute, parent: upper, child: lower, axis: y, at: [0.2, 0, 0]}\n"
    "deformables:\n"
    "  flesh:\n"
    "    form: {box: {from: [0.05, 0, 0], to: [0.35, 0, 0], width: 0.06, height: 0.06},\n"
    "      elements: {along: 6, across: 2, around: 2}, material: gel}\n"
    "    attach: [upper, lower]\n"
    "ropes:\n"
    "  hair: {through: [{body: lower, at: [0.2, 0, 0]}, {free: true, at: [0.5, 0, 0]}],\n"
    "    segments: 3, mass: 10 g, stiffness: 5 N, radius: 2 mm, material: brass}\n"
    "duration: 0.2\n"
    "solver: {step: 5 ms}\n";

static lb_recording* recording_of(const char* text) {
  lb_scene scene;
  lb_model* model;
  lb_recording* recording;
  lb_summary summary;
  const lb_simulate_options options = lb_simulate_default();
  if (lb_scene_parse(text, strlen(text), "bent.yaml", NULL, &scene, NULL) != LB_OK ||
      lb_model_create(&scene, NULL, &model, NULL) != LB_OK ||
      lb_recording_create(model, 20, NULL, &recording, NULL) != LB_OK ||
      lb_simulate(model, &options, recording, &summary, NULL) != LB_OK) {
    abort();
  }
  lb_scene_release(&scene);
  return recording;
}

static lb_recording* bent_recording(void) {
  return recording_of(BENT);
}

static void release_bent(lb_recording* r) {
  lb_model* model = (lb_model*)(uintptr_t)r->model;
  lb_recording_release(r);
  lb_model_release(model);
}

// A file taken apart.
typedef struct glb {
  lb_out out;
  cJSON* json;
  const unsigned char* binary;
  uint32_t binary_size;
} glb;

static uint32_t u32(const void* bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static glb glb_of_recording(const lb_recording* recording) {
  glb g = {.out = lb_out_make(NULL, -1)};
  lb_write_gltf(&g.out, recording, 100000);
  assert_int_equal(g.out.status, LB_OK);
  assert_memory_equal(g.out.data, "glTF", 4);
  assert_int_equal(u32(g.out.data + 4), 2);
  assert_int_equal(u32(g.out.data + 8), g.out.size);
  const uint32_t json_size = u32(g.out.data + 12);
  assert_int_equal(json_size % 4, 0);
  assert_memory_equal(g.out.data + 16, "JSON", 4);
  g.json = cJSON_ParseWithLength(g.out.data + 20, json_size);
  assert_non_null(g.json);
  const char* rest = g.out.data + 20 + json_size;
  if (rest < g.out.data + g.out.size) {
    g.binary_size = u32(rest);
    assert_memory_equal(rest + 4, "BIN", 4);
    g.binary = (const unsigned char*)rest + 8;
    assert_int_equal(g.binary_size % 4, 0);
    assert_ptr_equal(g.binary + g.binary_size, g.out.data + g.out.size);
  }
  return g;
}

static glb glb_of(const fixture* f) {
  return glb_of_recording(f->recording);
}

static void glb_release(glb* g) {
  cJSON_Delete(g->json);
  lb_out_release(&g->out);
}

static const cJSON* get(const cJSON* json, const char* key) {
  return cJSON_GetObjectItemCaseSensitive(json, key);
}

static int integer(const cJSON* json, const char* key) {
  const cJSON* value = get(json, key);
  assert_true(cJSON_IsNumber(value));
  return value->valueint;
}

static const cJSON* item(const glb* g, const char* list, int i) {
  const cJSON* value = cJSON_GetArrayItem(get(g->json, list), i);
  assert_non_null(value);
  return value;
}

static int count(const glb* g, const char* list) {
  return cJSON_GetArraySize(get(g->json, list));
}

// The floats of an accessor, checked to lie inside the buffer and aligned.
static const float* floats(const glb* g, int accessor, int width, int* n) {
  const cJSON* a = item(g, "accessors", accessor);
  const cJSON* view = item(g, "bufferViews", integer(a, "bufferView"));
  const int offset = integer(view, "byteOffset") + integer(a, "byteOffset");
  *n = integer(a, "count");
  assert_int_equal(integer(a, "componentType"), 5126);
  assert_int_equal(offset % 4, 0);
  assert_at_most(integer(a, "byteOffset") + *n * width * 4, integer(view, "byteLength"));
  assert_at_most((uint32_t)(offset + *n * width * 4), g->binary_size);
  return (const float*)(const void*)(g->binary + offset);
}

static void bounds_of_positions_are_exact(void** state) {
  (void)state;
  fixture* f = fixture_zoo(10);
  glb g = glb_of(f);
  for (int m = 0; m < count(&g, "meshes"); m++) {
    const cJSON* primitive = cJSON_GetArrayItem(get(item(&g, "meshes", m), "primitives"), 0);
    const int accessor = integer(get(primitive, "attributes"), "POSITION");
    int n;
    const float* x = floats(&g, accessor, 3, &n);
    for (int k = 0; k < 3; k++) {
      float low = x[k], high = x[k];
      for (int i = 0; i < n; i++) {
        low = fminf(low, x[3 * i + k]);
        high = fmaxf(high, x[3 * i + k]);
      }
      const cJSON* a = item(&g, "accessors", accessor);
      assert_true((float)cJSON_GetArrayItem(get(a, "min"), k)->valuedouble == low);
      assert_true((float)cJSON_GetArrayItem(get(a, "max"), k)->valuedouble == high);
    }
  }
  glb_release(&g);
  fixture_release(f);
}

static void normals_are_unit_and_indices_in_range(void** state) {
  (void)state;
  fixture* f = fixture_zoo(2);
  glb g = glb_of(f);
  for (int m = 0; m < count(&g, "meshes"); m++) {
    const cJSON* primitive = cJSON_GetArrayItem(get(item(&g, "meshes", m), "primitives"), 0);
    int n;
    const float* x = floats(&g, integer(get(primitive, "attributes"), "NORMAL"), 3, &n);
    for (int i = 0; i < n; i++) {
      assert_near(hypot(hypot(x[3 * i], x[3 * i + 1]), x[3 * i + 2]), 1, 1e-6);
    }
    const cJSON* a = item(&g, "accessors", integer(primitive, "indices"));
    const cJSON* view = item(&g, "bufferViews", integer(a, "bufferView"));
    assert_int_equal(integer(a, "componentType"), 5123);
    for (int i = 0; i < integer(a, "count"); i++) {
      uint16_t index;
      memcpy(&index, g.binary + integer(view, "byteOffset") + integer(a, "byteOffset") + 2 * i, 2);
      assert_below(index, n);
    }
  }
  glb_release(&g);
  fixture_release(f);
}

// The channel of a body's node, or NULL.
static const cJSON* sampler_of(const glb* g, int node, const char* path) {
  const cJSON* animation = item(g, "animations", 0);
  const cJSON* channel;
  cJSON_ArrayForEach(channel, get(animation, "channels")) {
    const cJSON* target = get(channel, "target");
    if (integer(target, "node") == node && !strcmp(get(target, "path")->valuestring, path)) {
      return cJSON_GetArrayItem(get(animation, "samplers"), integer(channel, "sampler"));
    }
  }
  return NULL;
}

static void animation_repeats_the_recording(void** state) {
  (void)state;
  fixture* f = fixture_zoo(101);
  glb g = glb_of(f);
  for (int b = 0; b < 4; b++) {
    const cJSON* move = sampler_of(&g, 1 + b, "translation");
    const cJSON* turn = sampler_of(&g, 1 + b, "rotation");
    assert_non_null(move);
    assert_non_null(turn);
    assert_int_equal(integer(move, "input"), integer(turn, "input"));
    int n;
    const float* t = floats(&g, integer(move, "input"), 1, &n);
    assert_int_equal(n, 101);
    const float* x = floats(&g, integer(move, "output"), 3, &n);
    const float* q = floats(&g, integer(turn, "output"), 4, &n);
    for (int i = 0; i < n; i++) {
      const lb_transform X = *fixture_pose(f, i, b);
      assert_near(t[i], f->recording->time[i], 1e-6);
      assert_near(x[3 * i], X.p.x, 1e-6);
      assert_near(x[3 * i + 1], X.p.y, 1e-6);
      assert_near(x[3 * i + 2], X.p.z, 1e-6);
      const double same =
          q[4 * i] * X.q.x + q[4 * i + 1] * X.q.y + q[4 * i + 2] * X.q.z + q[4 * i + 3] * X.q.w;
      assert_near(fabs(same), 1, 1e-6);
    }
  }
  assert_null(sampler_of(&g, 5, "translation")); // the stand stands
  glb_release(&g);
  fixture_release(f);
}

static void quaternions_are_unit_and_never_jump(void** state) {
  (void)state;
  fixture* f = fixture_zoo(101);
  for (int i = 0; i < 101; i += 3) { // the same rotations by the other sign, and longer
    lb_quat* q = &fixture_pose(f, i, 1)->q;
    *q = (lb_quat){-1.5 * q->w, -1.5 * q->x, -1.5 * q->y, -1.5 * q->z};
  }
  glb g = glb_of(f);
  int n;
  const float* q = floats(&g, integer(sampler_of(&g, 2, "rotation"), "output"), 4, &n);
  for (int i = 0; i < n; i++) {
    double norm = 0, along = 0;
    for (int k = 0; k < 4; k++) {
      norm += (double)q[4 * i + k] * q[4 * i + k];
      along += i ? (double)q[4 * i + k] * q[4 * i - 4 + k] : 0;
    }
    assert_near(norm, 1, 1e-6);
    if (i > 0) {
      assert_above(along, 0);
    }
  }
  glb_release(&g);
  fixture_release(f);
}

static void times_that_a_float_cannot_distinguish_are_left_out(void** state) {
  (void)state;
  fixture* f = fixture_make("fine");
  const int b = fixture_body(f, "body", LB_JOINT_PRISMATIC, LB_WORLD);
  for (int i = 0; i < 100; i++) {
    fixture_frame(f, i ? 1000 + 1e-5 * i : 0);
    fixture_pose(f, i, b)->p.x = i;
  }
  glb g = glb_of(f);
  int n;
  const float* t = floats(&g, integer(sampler_of(&g, 1, "translation"), "input"), 1, &n);
  assert_above(n, 2);
  assert_below(n, 100);
  for (int i = 1; i < n; i++) {
    assert_above(t[i], t[i - 1]);
  }
  glb_release(&g);
  fixture_release(f);
}

static void equal_shapes_are_written_once(void** state) {
  (void)state;
  fixture* f = fixture_chain(100, 3);
  glb g = glb_of(f);
  assert_int_equal(count(&g, "meshes"), 2); // one form in two materials
  assert_int_equal(count(&g, "nodes"), 201);
  assert_int_equal(count(&g, "accessors"), 3 + 1 + 2 * 100);
  assert_int_equal(count(&g, "materials"), 2);
  glb_release(&g);
  fixture_release(f);
}

static void root_turns_z_up_into_y_up(void** state) {
  (void)state;
  fixture* f = fixture_zoo(2);
  glb g = glb_of(f);
  const cJSON* r = get(item(&g, "nodes", 0), "rotation");
  const lb_quat q = {cJSON_GetArrayItem(r, 3)->valuedouble, cJSON_GetArrayItem(r, 0)->valuedouble,
                     cJSON_GetArrayItem(r, 1)->valuedouble, cJSON_GetArrayItem(r, 2)->valuedouble};
  const lb_vec3 up = lb_quat_rotate(q, lb_vec3_make(0, 0, 1));
  const lb_vec3 right = lb_quat_rotate(q, lb_vec3_make(1, 0, 0));
  assert_near(up.y, 1, 1e-15);
  assert_near(right.x, 1, 1e-15);
  glb_release(&g);
  fixture_release(f);
}

static void worlds_with_little_in_them_are_valid(void** state) {
  (void)state;
  fixture* nothing = fixture_make("");
  fixture_frame(nothing, 0);
  glb g = glb_of(nothing);
  assert_int_equal(g.binary_size, 0);
  assert_int_equal(count(&g, "nodes"), 1);
  glb_release(&g);
  fixture_release(nothing);

  fixture* bare = fixture_make("bare \x01\xFF\xC3");
  fixture_body(bare, "no shape", LB_JOINT_FREE, LB_WORLD);
  lb_recording_create(&bare->model, 1, NULL, &bare->recording, NULL); // no frame either
  g = glb_of(bare);
  assert_string_equal(get(item(&g, "nodes", 0), "name")->valuestring,
                      "bare \x01\xEF\xBF\xBD\xEF\xBF\xBD");
  assert_int_equal(count(&g, "nodes"), 2);
  glb_release(&g);
  fixture_release(bare);
}

static void numbers_that_are_not_finite_hold_the_last_pose(void** state) {
  (void)state;
  fixture* f = fixture_zoo(20);
  for (int i = 10; i < 20; i++) {
    fixture_pose(f, i, 0)->p.x = NAN;
    fixture_pose(f, i, 0)->q.w = INFINITY;
  }
  glb g = glb_of(f);
  int n;
  const float* x = floats(&g, integer(sampler_of(&g, 1, "translation"), "output"), 3, &n);
  for (int i = 0; i < 3 * n; i++) {
    assert_true(isfinite(x[i]));
    assert_true(i < 30 || x[i] == x[i - 3]);
  }
  glb_release(&g);
  fixture_release(f);
}

// --- what changes its form ---

// Rest plus weights times targets is where the coordinates put a vertex, but for what is too small
// to be seen.
static void morph_targets_bend_a_body_as_its_coordinates_do(void** state) {
  (void)state;
  lb_recording* r = bent_recording();
  glb g = glb_of_recording(r);
  const lb_mesh* surface = &r->model->elastic.body[0].surface;
  const int node = 1 + r->model->nbody + r->model->look.nshape;
  const cJSON* mesh = item(&g, "meshes", integer(item(&g, "nodes", node), "mesh"));
  const cJSON* primitive = cJSON_GetArrayItem(get(mesh, "primitives"), 0);
  const cJSON* targets = get(primitive, "targets");
  const int ntarget = cJSON_GetArraySize(targets);
  assert_above(ntarget, 0);
  assert_below(ntarget, r->model->nq);
  int n, nweight;
  const float* rest = floats(&g, integer(get(primitive, "attributes"), "POSITION"), 3, &n);
  const float* w = floats(&g, integer(sampler_of(&g, node, "weights"), "output"), 1, &nweight);
  assert_int_equal(n, surface->nvertex);
  assert_int_equal(nweight, ntarget * r->nframe);
  double worst = 0, moved = 0;
  for (int f = 0; f < r->nframe; f++) {
    for (int i = 0; i < n; i++) {
      double x[3] = {rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]};
      for (int k = 0; k < ntarget; k++) {
        int m;
        const cJSON* target = cJSON_GetArrayItem(targets, k);
        const float* u = floats(&g, integer(target, "POSITION"), 3, &m);
        assert_int_equal(m, n);
        assert_at_least(w[f * ntarget + k], 0); // Blender, for one, clamps weights
        assert_at_most(w[f * ntarget + k], 1);
        for (int c = 0; c < 3; c++) {
          x[c] += (double)w[f * ntarget + k] * (double)u[3 * i + c];
        }
      }
      const lb_vec3 want = lb_bent_vertex(r, f, 0, i);
      worst = fmax(worst, hypot(hypot(x[0] - want.x, x[1] - want.y), x[2] - want.z));
      moved = fmax(moved, lb_vec3_norm(lb_vec3_sub(want, surface->vertex[i])));
    }
  }
  print_message("%d targets, error %.2g m of %.2g m\n", ntarget, worst, moved);
  assert_above(moved, 0.01);
  assert_below(worst, 4e-4 * 0.5);
  glb_release(&g);
  release_bent(r);
}

static void springs_reach_from_end_to_end(void** state) {
  (void)state;
  lb_recording* r = bent_recording();
  glb g = glb_of_recording(r);
  const int node = 1 + r->model->nbody + r->model->look.nshape + 1;
  int n;
  const float* t = floats(&g, integer(sampler_of(&g, node, "translation"), "output"), 3, &n);
  const float* q = floats(&g, integer(sampler_of(&g, node, "rotation"), "output"), 4, &n);
  const float* s = floats(&g, integer(sampler_of(&g, node, "scale"), "output"), 3, &n);
  assert_int_equal(n, r->nframe);
  for (int f = 0; f < n; f++) {
    const lb_quat turn = {q[4 * f + 3], q[4 * f], q[4 * f + 1], q[4 * f + 2]};
    lb_vec3 end[2];
    lb_bent_line(r, f, 0, end);
    for (int i = 0; i < 2; i++) {
      const lb_vec3 half = {0, 0, (i ? 0.5 : -0.5) * (double)s[3 * f + 2]};
      const lb_vec3 at = lb_vec3_add(lb_vec3_make(t[3 * f], t[3 * f + 1], t[3 * f + 2]),
                                     lb_quat_rotate(turn, half));
      assert_near(lb_vec3_norm(lb_vec3_sub(at, end[i])), 0, 1e-6);
    }
  }
  glb_release(&g);
  release_bent(r);
}

// Where a skin puts a vertex at a frame: sum of weight times pose of the joint times (vertex less
// where the joint was bound).
static lb_vec3 skinned(const glb* g, const cJSON* node, int vertex, int frame) {
  const cJSON* mesh = item(g, "meshes", integer(node, "mesh"));
  const cJSON* attributes = get(cJSON_GetArrayItem(get(mesh, "primitives"), 0), "attributes");
  const cJSON* skin = item(g, "skins", integer(node, "skin"));
  int n;
  const float* x = floats(g, integer(attributes, "POSITION"), 3, &n) + 3 * vertex;
  const float* w = floats(g, integer(attributes, "WEIGHTS_0"), 4, &n) + 4 * vertex;
  const float* bind = floats(g, integer(skin, "inverseBindMatrices"), 16, &n);
  const cJSON* joints = item(g, "accessors", integer(attributes, "JOINTS_0"));
  const cJSON* view = item(g, "bufferViews", integer(joints, "bufferView"));
  const unsigned char* j =
      g->binary + integer(view, "byteOffset") + integer(joints, "byteOffset") + 8 * vertex;
  lb_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    const int joint = j[2 * k] + 256 * j[2 * k + 1];
    assert_at_least(w[k], 0);
    assert_below(joint, n);
    const int moved = cJSON_GetArrayItem(get(skin, "joints"), joint)->valueint;
    int frames;
    const float* t = floats(g, integer(sampler_of(g, moved, "translation"), "output"), 3, &frames);
    const float* q = floats(g, integer(sampler_of(g, moved, "rotation"), "output"), 4, &frames);
    const float *b = bind + 16 * joint + 12, *p = t + 3 * frame, *u = q + 4 * frame;
    const lb_quat turn = {u[3], u[0], u[1], u[2]};
    const lb_vec3 at = lb_quat_rotate(turn, lb_vec3_make(x[0] + b[0], x[1] + b[1], x[2] + b[2]));
    sum = lb_vec3_add(sum, lb_vec3_scale(w[k], lb_vec3_add(at, lb_vec3_make(p[0], p[1], p[2]))));
  }
  return sum;
}

static void skins_carry_deformable_as_its_nodes_do(void** state) {
  (void)state;
  lb_recording* r = recording_of(FLESH);
  glb g = glb_of_recording(r);
  const lb_model* m = r->model;
  const cJSON* node = item(&g, "nodes", 1 + m->nbody + m->look.nshape + m->particles.nsegment);
  assert_string_equal(get(node, "name")->valuestring, "flesh");
  double moved = 0;
  for (int i = 0; i < m->particles.deformable[0].surface.nvertex; i += 7) {
    const int last = r->nframe - 1;
    const lb_vec3 want = lb_bent_deformable(r, last, 0, i);
    assert_near(lb_vec3_norm(lb_vec3_sub(skinned(&g, node, i, last), want)), 0, 1e-6);
    moved = fmax(moved, lb_vec3_norm(lb_vec3_sub(want, lb_bent_deformable(r, 0, 0, i))));
  }
  assert_above(moved, 0.01);
  glb_release(&g);
  release_bent(r);
}

static void leaks_nothing(const char* text) {
  lb_recording* r = recording_of(text);
  lb_counting counting = {0};
  const lb_allocator allocator = lb_counting_allocator(&counting);
  const lb_allocator* own = r->allocator;
  long n = 0;
  lb_status status = LB_NO_MEMORY;
  r->allocator = &allocator;
  while (status == LB_NO_MEMORY) {
    counting = (lb_counting){.refuse = ++n};
    lb_out out = lb_out_make(&allocator, -1);
    lb_write_report(&out, r, &FIXTURE_SUMMARY);
    status = out.status;
    lb_out_release(&out);
    assert_int_equal(counting.live, 0);
  }
  r->allocator = own;
  assert_int_equal(status, LB_OK);
  assert_above(n, 20);
  release_bent(r);
}

static void running_out_of_memory_over_what_bends_leaks_nothing(void** state) {
  (void)state;
  leaks_nothing(BENT);
  leaks_nothing(FLESH);
}

// --- samples for other programs ---

static void write_sample(const char* dir, const char* name, fixture* f) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  if (lb_recording_write(f->recording, &FIXTURE_SUMMARY, path, NULL) != LB_OK) {
    exit(1);
  }
  fixture_release(f);
}

static int write_samples(const char* dir) {
  fixture* empty = fixture_make("empty");
  fixture_frame(empty, 0);
  fixture* bare = fixture_make("bare \x01\xFF");
  fixture_body(bare, "", LB_JOINT_FREE, LB_WORLD);
  fixture_frame(bare, 0);
  fixture_frame(bare, 1);
  fixture_pose(bare, 1, 0)->p.x = NAN;
  fixture_frame(bare, 2);
  fixture_pose(bare, 2, 0)->p.x = 1;
  write_sample(dir, "zoo", fixture_zoo(401));
  write_sample(dir, "one", fixture_zoo(1));
  write_sample(dir, "chain", fixture_chain(100, 600));
  write_sample(dir, "fall", fixture_fall(200));
  write_sample(dir, "empty", empty);
  write_sample(dir, "bare", bare);
  const char* const name[] = {"bent", "flesh"};
  const char* const text[] = {BENT, FLESH};
  for (int i = 0; i < 2; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name[i]);
    lb_recording* r = recording_of(text[i]);
    if (lb_recording_write(r, &FIXTURE_SUMMARY, path, NULL) != LB_OK) {
      return 1;
    }
    release_bent(r);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    return write_samples(argv[1]);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_of_positions_are_exact),
      cmocka_unit_test(normals_are_unit_and_indices_in_range),
      cmocka_unit_test(animation_repeats_the_recording),
      cmocka_unit_test(quaternions_are_unit_and_never_jump),
      cmocka_unit_test(times_that_a_float_cannot_distinguish_are_left_out),
      cmocka_unit_test(equal_shapes_are_written_once),
      cmocka_unit_test(root_turns_z_up_into_y_up),
      cmocka_unit_test(worlds_with_little_in_them_are_valid),
      cmocka_unit_test(numbers_that_are_not_finite_hold_the_last_pose),
      cmocka_unit_test(morph_targets_bend_a_body_as_its_coordinates_do),
      cmocka_unit_test(springs_reach_from_end_to_end),
      cmocka_unit_test(skins_carry_deformable_as_its_nodes_do),
      cmocka_unit_test(running_out_of_memory_over_what_bends_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
