// What changes its form, as a frame shows it: elastic bodies and springs.
#pragma once
#include "limber/recording.h"

// Where vertex `i` of the surface of elastic body `e` is, in the body's frame.
lb_vec3 lb_bent_vertex(const lb_recording* recording, int frame, int e, int i);

// How far the middle of a face that carries something has moved from rest, in the body's axes.
lb_vec3 lb_bent_face(const lb_recording* recording, int frame, int e, int face);

// The two ends of a spring in the world.
void lb_bent_spring(const lb_recording* recording, int frame, int spring, lb_vec3 end[2]);

// Half the thickness at which springs are drawn, over the radius of what is in sight.
#define LB_SPRING_THICKNESS 0.0018
