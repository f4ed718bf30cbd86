// What must hold of elastic bodies and of what holds them.
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elastic/material.h"
#include "geom/section.h"
#include "scene/elastic.h"
#include "scene/names.h"

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
static void check_material(lb_checker* c, const lb_scene_body* body, int material) {
  if (material < 0 || material >= c->s->nmaterial) {
    LB_SAY(c, body->elastic->place, "body '%s': there is no material %d", body->name, material);
    return;
  }
  const lb_scene_material* m = &c->s->material[material];
  if (!(m->young > 0)) {
    LB_SAY(c, body->elastic->place,
           "body '%s': material '%s' has no Young's modulus, so nobody knows how it bends (give it "
           "'young' and 'poisson', or choose steel)",
           body->name, m->name);
  }
}

static void check_form(lb_checker* c, const lb_scene_body* body) {
  const lb_scene_elastic* e = body->elastic;
  if ((unsigned)e->form >= LB_ELASTIC_FORM_COUNT || (e->form == LB_ELASTIC_MESH && !e->mesh)) {
    LB_SAY(c, e->place, "body '%s': its form is not one of those in limber/scene.h", body->name);
    return;
  }
  if (e->form == LB_ELASTIC_MESH && e->nregion > 0 && e->nregion != e->mesh->nregion) {
    LB_SAY(c, e->place, "body '%s': its mesh has %d regions, but %d materials are given",
           body->name, e->mesh->nregion, e->nregion);
  }
  if (e->form != LB_ELASTIC_MESH) {
    const lb_tetmesh_def def = lb_elastic_definition(e);
    lb_error why = lb_error_make(c->report->err ? c->report->err->allocator : NULL);
    if (lb_section_check(&def, e->place, &why) != LB_OK) {
      LB_SAY(c, e->place, "body '%s': %s", body->name,
             why.count ? why.message[0].text : "its form is not possible");
    }
    lb_error_clear(&why);
  }
  if (e->modes < 0 || e->derivatives < 0 || e->modes > 200 || e->derivatives > 20) {
    LB_SAY(c, e->place,
           "body '%s': a basis has at most 200 modes and the derivatives of at most 20 shapes",
           body->name);
  }
}

static bool is_joined(const lb_scene* s, int body) {
  for (int j = 0; j < s->njoint; j++) {
    if (s->joint[j].parent == body || s->joint[j].child == body) {
      return true;
    }
  }
  return false;
}

static void check_body(lb_checker* c, int i) {
  const lb_scene_body* body = &c->s->body[i];
  const lb_scene_elastic* e = body->elastic;
  if (e->nregion == 0) {
    check_material(c, body, e->material);
  }
  for (int k = 0; k < e->nregion; k++) {
    check_material(c, body, e->region_material[k]);
  }
  check_form(c, body);
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

static void wrong_face(lb_checker* c, const lb_scene_joint* j, const lb_scene_body* body,
                       const char* face) {
  const char* name[FACES_SHOWN];
  const int count = lb_elastic_faces(body->elastic, name, FACES_SHOWN);
  lb_nearest nearest = lb_nearest_to(face);
  for (int i = 0; i < count && i < FACES_SHOWN; i++) {
    lb_nearest_offer(&nearest, name[i]);
  }
  char text[600];
  list_faces(body->elastic, text, sizeof text);
  if (nearest.best) {
    LB_SAY(c, j->place, "joint '%s' names face '%s', which body '%s' has not (did you mean '%s'?)",
           j->name, face, body->name, nearest.best);
  } else {
    LB_SAY(c, j->place, "joint '%s' names face '%s', which body '%s' has not (choose %s)", j->name,
           face, body->name, text);
  }
}

static void check_face(lb_checker* c, const lb_scene_joint* j, int end) {
  const int i = end == 0 ? j->parent : j->child;
  if (i < 0 || i >= c->s->nbody || (c->body_broken && c->body_broken[i])) {
    return;
  }
  const lb_scene_body* body = &c->s->body[i];
  const char* face = j->face_name[end];
  const char* key = end == 1 && j->face_name[0] ? "child_face" : "face";
  char text[600];
  if (!body->elastic && face) {
    LB_SAY(c, j->place, "joint '%s' names face '%s' of body '%s', which is rigid (take '%s' away)",
           j->name, face, body->name, key);
  } else if (body->elastic && !face) {
    LB_SAY(c, j->place, "joint '%s': '%s' is missing (by which face it holds body '%s': %s)",
           j->name, key, body->name, list_faces(body->elastic, text, sizeof text));
  } else if (body->elastic && !lb_elastic_has_face(body->elastic, face)) {
    wrong_face(c, j, body, face);
  }
}

// --- forces ---

static bool is_elastic(const lb_checker* c, int body) {
  return body >= 0 && body < c->s->nbody && c->s->body[body].elastic;
}

static void check_points(lb_checker* c) {
  for (int i = 0; i < c->s->nspring; i++) {
    const lb_scene_spring* s = &c->s->spring[i];
    for (int end = 0; end < 2; end++) {
      if (is_elastic(c, s->body[end])) {
        LB_SAY(
            c, s->place,
            "spring '%s' is fastened to elastic body '%s' (fasten it to a rigid body that one of "
            "its faces carries)",
            s->name, c->s->body[s->body[end]].name);
      }
    }
  }
  for (int i = 0; i < c->s->nload; i++) {
    const lb_scene_load* load = &c->s->load[i];
    if (is_elastic(c, load->body)) {
      LB_SAY(
          c, load->place,
          "load '%s' acts on elastic body '%s' (let it act on a rigid body that one of its faces "
          "carries)",
          load->name, c->s->body[load->body].name);
    }
  }
}

void lb_check_elastic(lb_checker* c) {
  bool any = false;
  for (int j = 0; j < c->s->njoint; j++) {
    if (!c->joint_broken || !c->joint_broken[j]) {
      check_face(c, &c->s->joint[j], 0);
      check_face(c, &c->s->joint[j], 1);
    }
  }
  for (int i = 0; i < c->s->nbody; i++) {
    if (c->s->body[i].elastic && !(c->body_broken && c->body_broken[i])) {
      check_body(c, i);
      any = true;
    }
  }
  check_points(c);
  const lb_integrator integrator = c->s->solver.integrator;
  if (any && integrator != LB_INTEGRATOR_BDF2 && (unsigned)integrator < LB_INTEGRATOR_COUNT) {
    LB_SAY(
        c, c->s->solver.place,
        "integrator '%s' cannot follow the fast vibrations of elastic bodies (use bdf2, or leave "
        "the integrator out)",
        lb_integrator_name(integrator));
  }
}
