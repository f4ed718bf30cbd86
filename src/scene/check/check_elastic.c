// What must hold of elastic bodies and of what holds them.
#include "scene/check/scene_check.h"
#include "scene/force/scene_force.h"

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

// The material of a region, or of all of the body.
static void check_material(lb_checker* c, const char* word, const lb_scene_body* body,
                           int material) {
  if (material < 0 || material >= c->s->nmaterial) {
    LB_SAY(c, body->elastic->place, "%s '%s': there is no material %d", word, body->name, material);
    return;
  }
  const lb_scene_material* m = &c->s->material[material];
  if (!(m->young > 0)) {
    LB_SAY(c, body->elastic->place,
           "%s '%s': material '%s' has no Young's modulus, so nobody knows how it bends (give it "
           "'young' and 'poisson', or choose steel)",
           word, body->name, m->name);
  }
}

void lb_check_form(lb_checker* c, const char* word, const lb_scene_body* body) {
  const lb_scene_elastic* e = body->elastic;
  if (e->nregion == 0) {
    check_material(c, word, body, e->material);
  }
  for (int k = 0; k < e->nregion; k++) {
    check_material(c, word, body, e->region_material[k]);
  }
  if ((unsigned)e->form >= LB_ELASTIC_FORM_COUNT || (e->form == LB_ELASTIC_MESH && !e->mesh)) {
    LB_SAY(c, e->place, "%s '%s': its form is not one of those in limber/scene.h", word,
           body->name);
    return;
  }
  if (e->form == LB_ELASTIC_MESH && e->nregion > 0 && e->nregion != e->mesh->nregion) {
    LB_SAY(c, e->place, "%s '%s': its mesh has %d regions, but %d materials are given", word,
           body->name, e->mesh->nregion, e->nregion);
  }
  if (e->form != LB_ELASTIC_MESH) {
    const lb_tetmesh_def def = lb_elastic_definition(e, LB_SPACE_REDUCED);
    lb_error why = lb_error_make(c->report->err ? c->report->err->allocator : NULL);
    if (lb_section_check(&def, e->place, &why) != LB_OK) {
      LB_SAY(c, e->place, "%s '%s': %s", word, body->name,
             why.count ? why.message[0].text : "its form is not possible");
    }
    lb_error_clear(&why);
  }
  if (e->modes < 0 || e->derivatives < 0 || e->modes > 200 || e->derivatives > 20) {
    LB_SAY(c, e->place,
           "%s '%s': a basis has at most 200 modes and the derivatives of at most 20 shapes", word,
           body->name);
  }
}

// Does anything take hold of the body?
static bool is_joined(const lb_scene* s, int body) {
  bool any = false;
  for (int j = 0; j < s->njoint; j++) {
    any = any || s->joint[j].parent == body || s->joint[j].child == body;
  }
  for (int i = 0; i < s->nforce; i++) {
    for (int k = 0; k < s->force[i].npoint; k++) {
      any = any || s->force[i].point[k].body == body;
    }
  }
  for (int i = 0; i < s->nload; i++) {
    any = any || s->load[i].body == body;
  }
  return any;
}

static void check_body(lb_checker* c, int i) {
  const lb_scene_body* body = &c->s->body[i];
  const double* young = body->elastic->basis_young;
  lb_check_form(c, "body", body);
  for (int k = 0; young && k < (body->elastic->nregion ? body->elastic->nregion : 1); k++) {
    if (!(young[k] > 0) || !isfinite(young[k])) {
      LB_SAY(c, body->elastic->place,
             "body '%s': moduli that its shapes are made with must be positive", body->name);
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

// What names a face, for messages.
typedef struct grip {
  const char *word, *name; // "joint", 'elbow'
  lb_place place;
  const char* key;  // under which the face is written
  const char* does; // "by which face it holds"
  const char* face; // NULL: none was named
} grip;

static void wrong_face(lb_checker* c, const grip* g, const lb_scene_body* body) {
  const char* name[FACES_SHOWN];
  const int count = lb_elastic_faces(body->elastic, name, FACES_SHOWN);
  lb_nearest nearest = lb_nearest_to(g->face);
  for (int i = 0; i < count && i < FACES_SHOWN; i++) {
    lb_nearest_offer(&nearest, name[i]);
  }
  char text[600];
  list_faces(body->elastic, text, sizeof text);
  if (nearest.best) {
    LB_SAY(c, g->place, "%s '%s' names face '%s', which body '%s' has not (did you mean '%s'?)",
           g->word, g->name, g->face, body->name, nearest.best);
  } else {
    LB_SAY(c, g->place, "%s '%s' names face '%s', which body '%s' has not (choose %s)", g->word,
           g->name, g->face, body->name, text);
  }
}

static bool is_broken(const lb_checker* c, int body) {
  return body >= 0 && body < c->s->nbody && c->body_broken && c->body_broken[body];
}

static void check_face(lb_checker* c, int i, grip g) {
  if (i < 0 || i >= c->s->nbody || is_broken(c, i)) {
    return;
  }
  const lb_scene_body* body = &c->s->body[i];
  char text[600];
  if (!body->elastic && g.face) {
    LB_SAY(c, g.place, "%s '%s' names face '%s' of body '%s', which is rigid (take '%s' away)",
           g.word, g.name, g.face, body->name, g.key);
  } else if (body->elastic && !g.face) {
    LB_SAY(c, g.place, "%s '%s': '%s' is missing (%s body '%s': %s)", g.word, g.name, g.key, g.does,
           body->name, list_faces(body->elastic, text, sizeof text));
  } else if (body->elastic && !lb_elastic_has_face(body->elastic, g.face)) {
    wrong_face(c, &g, body);
  } else if (body->elastic && body->elastic->form == LB_ELASTIC_MESH &&
             lb_tetmesh_find_surface(body->elastic->mesh, g.face)->nface == 0) {
    LB_SAY(
        c, g.place,
        "%s '%s' names face '%s' of body '%s', which has no area: none of its triangles is on the "
        "surface of the mesh (choose %s)",
        g.word, g.name, g.face, body->name, list_faces(body->elastic, text, sizeof text));
  }
}

static void check_joint_faces(lb_checker* c, const lb_scene_joint* j) {
  static const char does[] = "by which face it holds";
  // which key is whose is not known when one of the bodies is not
  if (is_broken(c, j->parent) || is_broken(c, j->child)) {
    return;
  }
  check_face(c, j->parent, (grip){"joint", j->name, j->place, "face", does, j->hold.face_name[0]});
  check_face(c, j->child,
             (grip){"joint", j->name, j->place, j->hold.face_name[0] ? "child_face" : "face", does,
                    j->hold.face_name[1]});
}

static void check_points(lb_checker* c) {
  for (int i = 0; i < c->s->nforce; i++) {
    const lb_scene_force* s = &c->s->force[i];
    for (int end = 0; end < s->npoint && LB_FORCE_FORMAT[s->kind]->ends; end++) {
      check_face(c, s->point[end].body,
                 (grip){lb_force_kind_name(s->kind), s->name, s->place, "face",
                        "to which face it is fastened, of", s->point[end].face_name});
    }
  }
  for (int i = 0; i < c->s->nload; i++) {
    const lb_scene_load* load = &c->s->load[i];
    check_face(c, load->body,
               (grip){"load", load->name, load->place, "face", "on which face it acts, of",
                      load->face_name});
  }
}

// Elastic bodies vibrate much faster than explicit steps can follow, and one linear system a step
// does not do for all the nodes of one.
static void check_integrator(lb_checker* c) {
  const lb_scene_solver* solver = &c->s->solver;
  const lb_method method = lb_integrator_method(solver->integrator);
  if ((unsigned)solver->integrator >= LB_INTEGRATOR_COUNT) {
    return;
  }
  if (method != LB_METHOD_LINEAR && method != LB_METHOD_IMPLICIT) {
    LB_SAY(c, solver->place,
           "integrator '%s' cannot follow the fast vibrations of elastic bodies (use bdf2, sdirk2, "
           "bdf1 or linear-euler, or leave the integrator out)",
           lb_integrator_name(solver->integrator));
  } else if (method == LB_METHOD_LINEAR && solver->elastic == LB_SPACE_FULL) {
    LB_SAY(c, solver->place,
           "integrator 'linear-euler' cannot step all the nodes of elastic bodies (use bdf2, "
           "sdirk2 or bdf1, or elastic: reduced)");
  }
}

void lb_check_elastic(lb_checker* c) {
  bool any = false;
  for (int j = 0; j < c->s->njoint; j++) {
    if (!c->joint_broken || !c->joint_broken[j]) {
      check_joint_faces(c, &c->s->joint[j]);
    }
  }
  for (int i = 0; i < c->s->nbody; i++) {
    if (c->s->body[i].elastic && !(c->body_broken && c->body_broken[i])) {
      check_body(c, i);
      any = true;
    }
  }
  check_points(c);
  if (any) {
    check_integrator(c);
  }
}
