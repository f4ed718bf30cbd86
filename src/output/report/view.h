// Where to look from: one choice of camera for the pictures and for the 3-D view.
#pragma once
#include "geom/shape/shape.h"
#include "limber/recording.h"

enum { LB_TRACE_MOST = 4 };

typedef struct lb_view {
  lb_vec3 centre;   // of what must be in sight
  double wide;      // half its width as seen from the camera [m]
  double tall;      // half its height
  double deep;      // half its depth
  double radius;    // of a sphere about the centre that holds it [m] > 0
  double near;      // radius around the bodies' middle that holds them at any one time
  double azimuth;   // of the direction towards the camera [rad]
  double elevation; // of it [rad]
  double floor;     // height of the lowest point of the motion, where shadows fall [m]
  double ground;    // height of a grid below that and below the scenery [m]
  bool follow;      // the bodies travel far: keep them in the middle
  bool whole;       // pictures show all of the motion, even so
  int ntrace;       // bodies whose paths are drawn
  int trace[LB_TRACE_MOST];
} lb_view;

// A view of the recording; false when there is no memory.
bool lb_view_make(lb_view* view, const lb_recording* recording);

// World directions of a picture's right, up, and towards the eye.
typedef struct lb_axes {
  lb_vec3 right, up, eye;
} lb_axes;
lb_axes lb_view_axes(const lb_view* view);

// The bodies' middle in a frame: the mean place of those that move.
lb_vec3 lb_view_middle(const lb_recording* recording, int frame);

// A point of a body's path: its centre of mass.
lb_vec3 lb_view_trace(const lb_recording* recording, int frame, int body);
