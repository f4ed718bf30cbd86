"""Writes the C source of limber._limber: python3 binding.py INCLUDE OUT.c

world.h and job.h are bound as they stand. Of other headers, what Python reads is repeated here in
part; "..." has the C compiler fill in the rest, and a type that differs does not compile.
"""
import re
import sys

import cffi

PARTS = """
typedef enum { LB_OK, LB_INVALID, LB_NO_MEMORY, LB_IO, LB_FAILED, LB_INTERRUPTED, ... } lb_status;
typedef struct { const char* file; int line; int column; ...; } lb_place;
typedef struct { lb_place place; char* text; ...; } lb_message;
typedef struct { lb_status status; int count; lb_message* message; int lost; ...; } lb_error;
typedef struct lb_allocator lb_allocator;
lb_error lb_error_make(const lb_allocator* allocator);
void lb_error_clear(lb_error* err);
size_t lb_error_format(const lb_error* err, int i, char* out, size_t size);
const char* lb_status_text(lb_status status);
const char* lb_version(void);

typedef struct { double x, y, z; } lb_vec3;
typedef struct { double w, x, y, z; } lb_quat;
typedef struct { lb_quat q; lb_vec3 p; } lb_transform;
typedef struct { lb_vec3 force; lb_vec3 moment; } lb_reaction;

typedef struct {
  int body[2];
  uint64_t id;
  lb_vec3 point, normal, force, slip;
  double gap, time;
} lb_body_contact;
typedef struct { lb_vec3 origin, direction; double most; } lb_ray;
typedef struct { double distance; lb_vec3 normal, point_a, point_b; ...; } lb_separation;

typedef struct { int nparameter, ngoal; struct lb_scene_parameter* parameter; ...; }
    lb_scene_optimize;
struct lb_scene_parameter { const char* name; ...; };
typedef struct {
  bool (*report)(void* context, double fraction, const char* what);
  void* context;
} lb_progress;
typedef struct { const char* cache; lb_progress progress; ...; } lb_making;
typedef struct { lb_scene_optimize optimize; lb_making making; ...; } lb_scene;
typedef struct {
  const char *name, *text;
  size_t length;
  int nset;
  const char* const* set;
  ...;
} lb_scene_origin;
lb_status lb_scene_open(const lb_scene_origin* from, const lb_allocator* allocator, lb_scene* scene,
                        lb_error* err);
void lb_scene_release(lb_scene* scene);

typedef struct { const char** name; ...; } lb_model_bodies;
typedef struct { const char** name; int* q; int* nq; int* v; int* nv; ...; } lb_model_joints;
typedef struct { const char** name; ...; } lb_model_motors;
typedef struct { const char* name; ...; } lb_scene_material;
typedef struct { lb_scene_material* material; ...; } lb_model_looks;
typedef struct { int npair; ...; } lb_model_constraints;
typedef struct {
  const char* name;
  int nq, nv, nbody, njoint, nmotor;
  lb_model_bodies body;
  lb_model_joints joint;
  lb_model_motors motor;
  lb_model_looks look;
  lb_model_constraints constraint;
  ...;
} lb_model;
const char* lb_model_toucher(const lb_model* model, int body);
typedef struct lb_data lb_data;

typedef struct { const char* name; char what[...]; ...; } lb_channel;
typedef struct {
  const lb_model* model;
  int nframe, nchannel;
  lb_channel* channel;
  double* time;
  lb_transform* pose;
  double *q, *qd, *motor, *force, *kinetic, *potential, *torque;
  lb_reaction* reaction;
  ...;
} lb_recording;
typedef struct lb_compared lb_compared;
lb_status lb_comparison_write(const char* a, const char* b, const char* dir, lb_compared* figures,
                              const lb_allocator* allocator, lb_error* err);
typedef struct {
  lb_status (*put)(void* context, const lb_recording* recording, int frame, lb_error* err);
  void* context;
} lb_sink;

typedef enum { LB_RETARGET_METHOD_COUNT, ... } lb_retarget_method;
const char* lb_retarget_method_name(lb_retarget_method method);
typedef struct { int nmotor; int* motor; ...; } lb_retarget;
typedef struct lb_curves lb_curves;
void lb_curves_evaluate(const lb_curves* curves, int i, double t, double value[3]);
typedef struct { double peak, rms, angle, pause, delay, torque; ...; } lb_deviation;
typedef struct { lb_deviation all; ...; } lb_replay;
typedef struct { double objective; ...; } lb_retarget_value;
struct lb_retarget_result {
  const lb_retarget* what;
  const lb_curves *input, *curves;
  const lb_recording *target, *before, *after;
  lb_replay was, is;
  int nhistory;
  const lb_retarget_value* history;
  ...;
};
typedef struct { const lb_scene* scene; int* first; ...; } lb_optimization;
struct lb_optimize_result {
  const lb_optimization* optimization;
  const double* x;
  int nhistory;
  const double* history;
  ...;
};

typedef enum { LB_FIT_SURE, ... } lb_fit_doubt;
typedef int... lb_fit_quantity;
const char* lb_fit_quantity_name(lb_fit_quantity quantity);
const char* lb_fit_doubt_text(lb_fit_doubt doubt);
typedef struct {
  lb_fit_quantity quantity;
  int material;
  double start, value, low, high;
  lb_fit_doubt doubt;
  ...;
} lb_fit_value;
struct lb_fit {
  int nvalue;
  lb_fit_value* value;
  const lb_model* model;
  double rms_start, rms, explained, correlation;
  bool converged;
  ...;
};

typedef struct {
  double wall_seconds;
  long steps;
  double energy_start, energy_end, energy_drift, linear_drift, angular_drift;
  double constraint_violation;
  bool conservative, interrupted;
  int threads;
  double step;
  const struct lb_fit* fit;
  const struct lb_retarget_result* retarget;
  const struct lb_optimize_result* optimize;
  ...;
} lb_summary;
"""

CALLBACKS = """
extern "Python" bool limber_progress(void* context, double fraction, const char* what);
"""


def declarations(path: str) -> str:
    """What a header declares, without comments and what is for the preprocessor."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    return re.sub(r"(?m)^#.*$", "", text)


def main(include: str, out: str) -> None:
    ffi = cffi.FFI()
    ffi.cdef(PARTS)
    for header in ("world", "job"):
        ffi.cdef(declarations(f"{include}/limber/{header}.h"))
    ffi.cdef(CALLBACKS)
    ffi.set_source("limber._limber", "#include <limber/limber.h>")
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
