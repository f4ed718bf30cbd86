// Elastic bodies as they are described: their forms and faces.
#pragma once
#include "elastic/reduced/stored.h"
#include "geom/tet/tetmesh.h"
#include "limber/scene.h"

// Mesher's definition of a body that is not a mesh already.
lb_tetmesh_def lb_elastic_definition(const lb_scene_elastic* elastic, lb_space space);

// A form as files of reduced bodies have it: its name, and from, to, up, width, height, radius,
// inner.
const char* lb_elastic_form_name(lb_elastic_form which);
void lb_elastic_numbers(const lb_scene_elastic* elastic, double out[LB_STORED_DIMENSIONS]);

// The scene's material of a region.
int lb_elastic_material(const lb_scene_elastic* elastic, int region);
// The modulus that its shapes are made with.
double lb_elastic_young(const lb_scene* scene, const lb_scene_elastic* elastic, int region);

// The face by which a body is held, or NULL: that of the joint that carries it, else of the first
// that mentions it.
const char* lb_elastic_held(const lb_scene* scene, int body);

// The names of a body's faces. Returns how many there are; the first `most` are written.
int lb_elastic_faces(const lb_scene_elastic* elastic, const char** name, int most);
bool lb_elastic_has_face(const lb_scene_elastic* elastic, const char* name);
