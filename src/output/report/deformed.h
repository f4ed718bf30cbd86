// Things that change their form, as a frame shows them: elastic bodies, springs, ropes,
// deformables.
#pragma once
#include "limber/recording.h"

// Where vertex `i` of the surface of elastic body `e` is, in the body's frame.
lb_vec3 lb_bent_vertex(const lb_recording* recording, int frame, int e, int i);

// How far the middle of a face that carries something has moved from rest, in the body's axes.
lb_vec3 lb_bent_face(const lb_recording* recording, int frame, int e, int face);

// Springs, pieces of cables, and after them the segments of ropes and the pieces of muscles: all
// that is drawn as lines.
static inline int lb_bent_lines(const lb_model* m) {
  return m->force.nline + m->particles.nsegment + m->look.ntube_line;
}
// The two ends of a line in the world.
void lb_bent_line(const lb_recording* recording, int frame, int line, lb_vec3 end[2]);
// Look of a line.
typedef struct lb_bent_look {
  const char* name; // of its rope or tube; NULL: of neither
  double radius;    // 0: as springs are drawn
  int material;     // -1: likewise
  int rope, tube;   // that it belongs to, or -1
} lb_bent_look;
lb_bent_look lb_bent_look_of(const lb_model* m, int line);
// Radius of a line in a frame; `thin` where it has none of its own. Muscles are spindles: their
// belly keeps its volume as it gets shorter, and is thicker when it is active.
double lb_bent_radius(const lb_recording* recording, int frame, int line, double thin);
// Activation of a muscle, 0 to 1, and of the one that a line is part of; -1: it is of none.
double lb_muscle_activation(const lb_recording* recording, int frame, int muscle);
double lb_bent_activation(const lb_recording* recording, int frame, int line);
// Colour of a line in a frame, from that of its material: muscles that pull are brighter the more
// active they are.
void lb_bent_color(const lb_recording* recording, int frame, int line, const double own[4],
                   double out[4]);

// Place in the world of a particle of a rope or deformable, and of a vertex of its surface.
lb_vec3 lb_bent_particle(const lb_recording* recording, int frame, int node);
lb_vec3 lb_bent_deformable(const lb_recording* recording, int frame, int deformable, int vertex);

// Half the thickness at which springs are drawn, over the radius of what is in sight.
#define LB_SPRING_THICKNESS 0.0018
