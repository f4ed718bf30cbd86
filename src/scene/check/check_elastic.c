// Validity of elastic bodies and of their grips.
#include "scene/check/grips.h"
#include "scene/check/scene_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "geom/shape/section.h"
#include "scene/part/elastic_form.h"
#include "scene/yaml/names.h"

enum { FACES_SHOWN = 12 };

// "start, end or side"
static const char* list_faces(const lb_scene_elastic* e, char* text, size_t size) {
  const char* name[FACES_SHOWN];
  const int count = lb_elastic_faces(e, name, FACES_SHOWN);
  const int shown = count < FACES_SHOWN ? count : FACES_SHOWN;
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < shown && used < size; i++) {
    const char* between = i == 0 ? "" : i == count - 1 ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s%.40s", between, name[i]);
  }
  return count ? text : "none: name surfaces in the mesh's file";
}

// The material of a region, or of all of it.
static void check_material(lb_checker* c, int material) {
  if (material < 0 || material >= c->s->nmaterial) {
    lb_say(c, ": there is no material %d", material);
  } else if (!(c->s->material[material].young > 0)) {
    lb_say(c,
           ": material '%s' has no Young's modulus, so nobody knows how it bends (give it 'young' "
           "and 'poisson', or choose steel)",
           c->s->material[material].name);
  }
}

static void check_form(lb_checker* c, const lb_scene_elastic* e) {
  for (int k = 0; k < (e->nregion ? e->nregion : 1); k++) {
    check_material(c, lb_elastic_material(e, k));
  }
  const bool mesh = e->form == LB_ELASTIC_MESH;
  if ((unsigned)e->form >= LB_ELASTIC_FORM_COUNT || (mesh && !e->mesh)) {
    lb_say(c, ": its form is not one of those in limber/scene.h");
    return;
  }
  if (mesh && e->nregion > 0 && e->nregion != e->mesh->nregion) {
    lb_say(c, ": its mesh has %d regions, but %d materials are given", e->mesh->nregion,
           e->nregion);
  }
  if (!mesh) {
    const lb_tetmesh_def def = lb_elastic_definition(e, LB_SPACE_REDUCED);
    lb_error why = lb_error_make(c->report->err ? c->report->err->allocator : NULL);
    if (lb_section_check(&def, e->place, &why) != LB_OK) {
      lb_say(c, ": %s", why.count ? why.message[0].text : "its form is not possible");
    }
    lb_error_clear(&why);
  }
  if (e->modes < 0 || e->derivatives < 0 || e->modes > 200 || e->derivatives > 20) {
    lb_say(c, ": a basis has at most 200 modes and the derivatives of at most 20 shapes");
  }
}

void lb_check_form(lb_checker* c, const lb_scene_elastic* e) {
  const lb_place whole = c->place;
  c->place = e->place;
  check_form(c, e);
  c->place = whole;
}

// Does anything take hold of the body?
static bool is_joined(const lb_scene* s, int body) {
  lb_grips at = {.scene = s};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    if (g.body == body) {
      return true;
    }
  }
  return false;
}

static void check_body(lb_checker* c, int i) {
  const lb_scene_body* body = &c->s->body[i];
  const double* young = body->elastic->basis_young;
  lb_look_at(c, body->elastic->place, "body '%.100s'", body->name);
  lb_check_form(c, body->elastic);
  for (int k = 0; young && k < (body->elastic->nregion ? body->elastic->nregion : 1); k++) {
    if (!(young[k] > 0) || !isfinite(young[k])) {
      lb_say(c, ": moduli that its shapes are made with must be positive");
      return;
    }
  }
  if (body->elastic->stored) {
    lb_check_stored(c, i);
  }
  if (!is_joined(c->s, i) && c->report->status == LB_OK) { // else its joint may be what went wrong
    char text[600];
    LB_SAY(
        c, body->place,
        "elastic body '%s' is held by nothing and carries nothing (join one of its faces, %s, to "
        "another body)",
        body->name, list_faces(body->elastic, text, sizeof text));
  }
}

// --- faces ---

static void wrong_face(lb_checker* c, const char* face, const lb_scene_body* body) {
  const char* name[FACES_SHOWN];
  const int count = lb_elastic_faces(body->elastic, name, FACES_SHOWN);
  lb_nearest nearest = lb_nearest_to(face);
  for (int i = 0; i < count && i < FACES_SHOWN; i++) {
    lb_nearest_offer(&nearest, name[i]);
  }
  char text[600];
  if (count == 0) {
    lb_say(c,
           " names face '%s', but the mesh of body '%s' has no named surfaces (name them in the "
           "mesh's file: in Gmsh, as physical surfaces)",
           face, body->name);
  } else if (nearest.best) {
    lb_say(c, " names face '%s', which body '%s' has not (did you mean '%s'?)", face, body->name,
           nearest.best);
  } else {
    lb_say(c, " names face '%s', which body '%s' has not (choose %s)", face, body->name,
           list_faces(body->elastic, text, sizeof text));
  }
}

static bool is_broken(const lb_checker* c, int body) {
  return body >= 0 && body < c->s->nbody && c->body_broken && c->body_broken[body];
}

// Keys of a joint whose body is not known belong to nobody.
static bool is_unknown(const lb_checker* c, const lb_grip* g) {
  const lb_scene_joint* j = g->joint >= 0 ? &c->s->joint[g->joint] : NULL;
  return g->body < 0 || g->body >= c->s->nbody || is_broken(c, g->body) ||
         (j && ((c->joint_broken && c->joint_broken[g->joint]) || is_broken(c, j->parent) ||
                is_broken(c, j->child)));
}

static void check_grip(lb_checker* c, const lb_grip* g) {
  if (!g->face_key || is_unknown(c, g)) {
    return;
  }
  const lb_scene_body* body = &c->s->body[g->body];
  const lb_scene_elastic* e = body->elastic;
  char text[600];
  lb_look_at(c, g->place, "%s '%.100s'", g->word, g->name);
  if (!e && g->face_name) {
    lb_say(c, " names face '%s' of body '%s', which is rigid (take '%s' away)", g->face_name,
           body->name, g->face_key);
  } else if (e && !g->face_name) {
    lb_say(c, ": '%s' is missing (%s body '%s': %s)", g->face_key, g->does, body->name,
           list_faces(e, text, sizeof text));
  } else if (e && !lb_elastic_has_face(e, g->face_name)) {
    wrong_face(c, g->face_name, body);
  } else if (e && e->form == LB_ELASTIC_MESH &&
             lb_tetmesh_find_surface(e->mesh, g->face_name)->nface == 0) {
    lb_say(c,
           " names face '%s' of body '%s', which has no area: none of its triangles is on the "
           "surface of the mesh (choose %s)",
           g->face_name, body->name, list_faces(e, text, sizeof text));
  }
}

// Elastic bodies vibrate much faster than explicit steps can follow, unless they are as short as
// those of semi-implicit Euler have to be (model/use/elastic_steps.h); and one linear system a step
// does not do for all the nodes of one.
static void check_integrator(lb_checker* c) {
  const lb_scene_solver* solver = &c->s->solver;
  const lb_method method = lb_integrator_method(solver->integrator);
  const bool implicit = method == LB_METHOD_IMPLICIT;
  const bool euler = solver->integrator == LB_INTEGRATOR_EULER;
  if ((unsigned)solver->integrator >= LB_INTEGRATOR_COUNT) {
    return;
  }
  if (!implicit && method != LB_METHOD_LINEAR && !euler) {
    LB_SAY(c, solver->place,
           "integrator '%s' cannot follow the fast vibrations of elastic bodies (use bdf2, sdirk2, "
           "bdf1 or linear-euler, or leave the integrator out)",
           lb_integrator_name(solver->integrator));
  } else if (!implicit && solver->elastic == LB_SPACE_FULL) {
    LB_SAY(c, solver->place,
           "integrator '%s' cannot step all the nodes of elastic bodies (use bdf2, "
           "sdirk2 or bdf1, or elastic: reduced)",
           lb_integrator_name(solver->integrator));
  }
}

void lb_check_elastic(lb_checker* c) {
  bool any = false;
  lb_grips at = {.scene = c->s};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    check_grip(c, &g);
  }
  for (int i = 0; i < c->s->nbody; i++) {
    if (c->s->body[i].elastic && !(c->body_broken && c->body_broken[i])) {
      check_body(c, i);
      any = true;
    }
  }
  if (any) {
    check_integrator(c);
  }
}
