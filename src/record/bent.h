// Elastic bodies as a frame shows them: bent. Places are in the body's frame.
#pragma once
#include "limber/recording.h"

// Where vertex `i` of the surface of elastic body `e` is.
lb_vec3 lb_bent_vertex(const lb_recording* recording, int frame, int e, int i);

// How far the middle of a face that carries something has moved from rest.
lb_vec3 lb_bent_face(const lb_recording* recording, int frame, int e, int face);
