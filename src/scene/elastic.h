// Elastic bodies as they are described: their forms and faces.
#pragma once
#include "geom/tetmesh.h"
#include "limber/scene.h"

// What the mesher makes of a description that is not a mesh already.
lb_tetmesh_def lb_elastic_definition(const lb_scene_elastic* elastic);

// The names of a body's faces. Returns how many there are; the first `most` are written.
int lb_elastic_faces(const lb_scene_elastic* elastic, const char** name, int most);
bool lb_elastic_has_face(const lb_scene_elastic* elastic, const char* name);
