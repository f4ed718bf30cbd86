// A folder with a model and tables that go with it, and jobs that load what is fuzzed there.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limber/job.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void expect(bool holds) {
  if (!holds) {
    abort();
  }
}

static const struct {
  const char *name, *text;
} FILES[] = {
    {"model.osim",
     "<OpenSimDocument Version=\"40500\"><Model name=\"m\"><BodySet><objects><Body name=\"rod\">"
     "<mass>2</mass><mass_center>0 -0.3 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia>"
     "</Body></objects></BodySet><JointSet><objects><PinJoint name=\"pin\">"
     "<socket_parent_frame>/ground</socket_parent_frame>"
     "<socket_child_frame>/bodyset/rod</socket_child_frame><coordinates>"
     "<Coordinate name=\"angle\"/></coordinates></PinJoint></objects></JointSet><ForceSet><objects>"
     "<Thelen2003Muscle name=\"flexor\"><max_isometric_force>500</max_isometric_force>"
     "<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.2"
     "</tendon_slack_length><GeometryPath><PathPointSet><objects><PathPoint name=\"a\">"
     "<socket_parent_frame>/ground</socket_parent_frame><location>0.1 0.1 0</location></PathPoint>"
     "<PathPoint name=\"b\"><socket_parent_frame>/bodyset/rod</socket_parent_frame>"
     "<location>0.02 -0.2 0</location></PathPoint></objects></PathPointSet></GeometryPath>"
     "</Thelen2003Muscle></objects></ForceSet><MarkerSet><objects><Marker name=\"tip\">"
     "<socket_parent_frame>/bodyset/rod</socket_parent_frame><location>0 -0.5 0</location></Marker>"
     "<Marker name=\"top\"><socket_parent_frame>/bodyset/rod</socket_parent_frame>"
     "<location>0 -0.1 0.1</location></Marker></objects></MarkerSet></Model></OpenSimDocument>"},
    {"markers.trc", "PathFileType\t4\t(X/Y/Z)\ta.trc\n"
                    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
                    "10\t10\t3\t2\tm\n"
                    "Frame#\tTime\ttip\t\t\ttop\t\t\n"
                    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
                    "1\t0.0\t0\t-0.5\t0\t0\t-0.1\t0.1\n"
                    "2\t0.1\t0.1\t-0.49\t0\t0.02\t-0.1\t0.1\n"
                    "3\t0.2\t0.2\t-0.45\t0\t0.04\t-0.1\t0.1\n"},
    {"motion.mot", "motion\nversion=1\nnRows=3\nnColumns=2\ninDegrees=yes\nendheader\n"
                   "time\tangle\n0\t0\n0.1\t10\n0.2\t20\n"},
    {"states.sto", "states\nversion=1\nnRows=1\nnColumns=5\ninDegrees=no\nendheader\n"
                   "time\t/jointset/pin/angle/value\t/jointset/pin/angle/speed\t"
                   "/forceset/flexor/activation\t/forceset/flexor/fiber_length\n"
                   "0\t0.1\t0\t0.1\t0.1\n"},
    {"controls.xml",
     "<ControlSet><objects><ControlLinear name=\"flexor.excitation\"><x_nodes>"
     "<ControlLinearNode><t>0</t><value>0.1</value></ControlLinearNode></x_nodes></ControlLinear>"
     "</objects></ControlSet>"},
    {"loads.xml", "<ExternalLoads><objects><ExternalForce name=\"f\"><applied_to_body>rod"
                  "</applied_to_body><force_identifier>v</force_identifier><point_identifier>p"
                  "</point_identifier></ExternalForce></objects><datafile>forces.mot</datafile>"
                  "</ExternalLoads>"},
    {"forces.mot", "forces\nversion=1\nnRows=3\nnColumns=7\ninDegrees=no\nendheader\n"
                   "time\tvx\tvy\tvz\tpx\tpy\tpz\n0\t0\t1\t0\t0\t0\t0\n0.1\t0\t2\t0\t0\t0\t0\n"
                   "0.2\t0\t3\t0\t0\t0\t0\n"},
};

static char folder[] = "/tmp/limber-setup-XXXXXX";

static const char* path_of(const char* name) {
  static char path[16][64];
  static int next;
  char* made = path[next++ % 16];
  snprintf(made, sizeof path[0], "%s/%s", folder, name);
  return made;
}

static void put(const char* name, const void* bytes, size_t size) {
  FILE* file = fopen(path_of(name), "wb");
  expect(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void clear(void) {
  remove(path_of(LB_FUZZED));
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    remove(path_of(FILES[i].name));
  }
  rmdir(folder);
}

static void prepare(void) {
  static bool ready = false;
  if (!ready) {
    expect(mkdtemp(folder));
    atexit(clear);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
      put(FILES[i].name, FILES[i].text, strlen(FILES[i].text));
    }
    ready = true;
  }
}

// A job loads, or says why it does not.
static void load(lb_job_options o) {
  lb_job* job = NULL;
  lb_error err = lb_error_make(NULL);
  expect(lb_job_create(&o, NULL, &job, &err) == LB_OK);
  const lb_status status = lb_job_load(job, &err);
  expect((status == LB_OK) == (err.count == 0));
  lb_job_release(job);
  lb_error_clear(&err);
}

static lb_job_options options(const char* kind, const char* scene) {
  lb_job_options o = lb_job_default();
  o.kind = kind;
  o.scene = scene;
  return o;
}
