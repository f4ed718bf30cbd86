#include "output/report/deformed.h"

#include <math.h>
#include <string.h>

#include "elastic/reduced/reduced.h"
#include "math/space/polar.h"
#include "model/use/link.h"
#include "model/use/model_path.h"
#include "recording/drawn_paths.h"

static const double* coordinates(const lb_recording* r, int frame, int e) {
  return r->q + (size_t)frame * (size_t)r->model->nq + (size_t)r->model->elastic.body[e].q;
}

lb_vec3 lb_bent_vertex(const lb_recording* r, int frame, int e, int i) {
  const lb_model_elastic* b = &r->model->elastic.body[e];
  const double* eta = coordinates(r, frame, e);
  lb_vec3 x = b->surface.vertex[i];
  for (int k = 0; k < b->r; k++) {
    const double* phi = b->Phi + 3 * ((size_t)k * (size_t)b->surface.nvertex + (size_t)i);
    x = lb_vec3_add(x, lb_vec3_scale(eta[k], lb_vec3_make(phi[0], phi[1], phi[2])));
  }
  return x;
}

lb_vec3 lb_bent_face(const lb_recording* r, int frame, int e, int face) {
  const lb_model* m = r->model;
  const lb_reduced* reduced = m->link.packed[m->body.link[m->elastic.body[e].body]].reduced;
  const double* eta = coordinates(r, frame, e);
  lb_v4 sum = lb_v4_zero();
  for (int k = 0; k < reduced->r; k++) {
    sum += reduced->face[face].W[k] * eta[k];
  }
  return lb_v4_vec3(sum);
}

// Where a face's frame is, in its body's axes.
static lb_transform face_pose(const lb_recording* r, int frame, int link) {
  const lb_model* m = r->model;
  const lb_reduced* b = m->link.packed[link].reduced;
  const lb_face* face = &b->face[m->link.packed[link].face];
  const double* eta = r->q + (size_t)frame * (size_t)m->nq + (size_t)m->link.q[link];
  lb_v4 x = face->x0;
  lb_m3 A = face->A0;
  for (int k = 0; k < b->r; k++) {
    x += face->W[k] * eta[k];
    lb_m3_add_scaled(&A, eta[k], face->A[k]);
  }
  const lb_mat3 R = lb_polar_decompose(lb_m3_mat3(A)).R;
  return (lb_transform){lb_quat_from_matrix(R), lb_v4_vec3(x)};
}

lb_vec3 lb_bent_particle(const lb_recording* r, int frame, int node) {
  const lb_model* m = r->model;
  const lb_model_particle* n = &m->particles.particle[node];
  if (n->link == LB_PARTICLE_FREE) {
    const double* x = r->q + (size_t)frame * (size_t)m->nq + (size_t)n->q;
    return lb_vec3_make(x[0], x[1], x[2]);
  }
  const lb_transform* pose = r->pose + (size_t)frame * (size_t)m->nbody;
  return n->body == LB_WORLD ? n->in_body : lb_transform_point(pose[n->body], n->in_body);
}

lb_vec3 lb_bent_deformable(const lb_recording* r, int frame, int deformable, int vertex) {
  const lb_model_deformable* s = &r->model->particles.deformable[deformable];
  lb_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    const lb_vec3 x = lb_bent_particle(r, frame, s->first_particle + s->carrier[vertex][k]);
    sum = lb_vec3_add(sum, lb_vec3_scale(s->weight[vertex][k], x));
  }
  return sum;
}

lb_bent_look lb_bent_look_of(const lb_model* m, int line) {
  lb_bent_look look = {.material = -1, .rope = -1, .tube = -1};
  const int segment = line - m->force.nline;
  int first = m->particles.nsegment; // of tubes, counted as segments
  for (int i = 0; i < m->particles.nrope && segment < first; i++) {
    if (m->particles.rope[i].first_segment <= segment) {
      look = (lb_bent_look){m->particles.rope[i].name, m->particles.rope[i].radius,
                            m->particles.rope[i].material, i, -1};
    }
  }
  for (int i = 0; i < m->look.ntube && segment >= first; i++) {
    const lb_model_tube* tube = &m->look.tube[i];
    look = (lb_bent_look){tube->name, tube->radius, tube->material, -1, i};
    first += tube->path->nline;
  }
  return look;
}

enum { MOST_PLACES = LB_PATH_MOST_POINTS * LB_WRAP_LINES + 2 };

// Tube that a line of tubes belongs to; the line becomes its number in the tube.
static int find_tube(const lb_model* m, int* line) {
  int tube = 0;
  for (; *line >= m->look.tube[tube].path->nline; tube++) {
    *line -= m->look.tube[tube].path->nline;
  }
  return tube;
}

static void tube_ends(const lb_recording* r, int frame, int line, lb_vec3 end[2]) {
  lb_vec3 room[MOST_PLACES];
  const int tube = find_tube(r->model, &line);
  const lb_vec3* x = lb_drawn_path(r, frame, tube, room);
  end[0] = x[line];
  end[1] = x[line + 1];
}

// --- muscles ---

// Length of a path in a frame, up to the middle of one of its lines or all of it.
static double length_to(const lb_recording* r, int frame, int tube, int line) {
  lb_vec3 room[MOST_PLACES];
  const lb_vec3* x = lb_drawn_path(r, frame, tube, room);
  double sum = 0;
  for (int i = 0; i < line; i++) {
    sum += lb_vec3_norm(lb_vec3_sub(x[i + 1], x[i]));
  }
  const bool part = line < r->model->look.tube[tube].path->nline;
  return part ? sum + 0.5 * lb_vec3_norm(lb_vec3_sub(x[line + 1], x[line])) : sum;
}

static double activation_of(const lb_recording* r, int frame, const lb_model_muscle* muscle) {
  const char* what = muscle->hill ? "activation" : "excitation";
  for (int i = 0; i < r->nchannel && (muscle->hill || muscle->tension > 0); i++) {
    if (r->channel[i].name == muscle->name && strcmp(r->channel[i].what, what) == 0) {
      return fmax(0, fmin(1, r->force[(size_t)frame * (size_t)r->nchannel + (size_t)i]));
    }
  }
  return 0;
}

double lb_muscle_activation(const lb_recording* r, int frame, int muscle) {
  return activation_of(r, frame, &r->model->muscle.item[muscle]);
}

double lb_bent_activation(const lb_recording* r, int frame, int line) {
  const int tube = lb_bent_look_of(r->model, line).tube;
  const int muscle = tube >= 0 ? r->model->look.tube[tube].muscle : -1;
  return muscle >= 0 ? activation_of(r, frame, &r->model->muscle.item[muscle]) : -1;
}

void lb_bent_color(const lb_recording* r, int frame, int line, const double own[4], double out[4]) {
  static const double IDLE = 0.45, BRIGHT = 1.5; // of the colour
  const int tube = lb_bent_look_of(r->model, line).tube;
  const int muscle = tube >= 0 ? r->model->look.tube[tube].muscle : -1;
  const lb_model_muscle* mu = muscle >= 0 ? &r->model->muscle.item[muscle] : NULL;
  const bool pulls = mu && (mu->hill || mu->tension > 0);
  const double a = pulls ? activation_of(r, frame, mu) : 0;
  const double red = pulls ? IDLE + (BRIGHT - IDLE) * sqrt(a) : 1;
  out[0] = fmin(1, red * own[0]);
  out[1] = own[1] * (pulls ? IDLE + (1 - IDLE) * a : 1);
  out[2] = own[2] * (pulls ? IDLE + (1 - IDLE) * a : 1);
  out[3] = own[3];
}

double lb_bent_radius(const lb_recording* r, int frame, int line, double thin) {
  static const double TENDON = 0.35, SWOLLEN = 0.2; // of the belly's radius; more of it when active
  const lb_model* m = r->model;
  const lb_bent_look look = lb_bent_look_of(m, line);
  const double own = look.radius > 0 ? look.radius : thin;
  const lb_model_tube* tube = look.tube >= 0 ? &m->look.tube[look.tube] : NULL;
  if (!tube || tube->muscle < 0 || !(look.radius > 0)) {
    return own;
  }
  int piece = line - m->force.nline - m->particles.nsegment;
  find_tube(m, &piece);
  const double L = length_to(r, frame, look.tube, tube->path->nline);
  const double start = length_to(r, 0, look.tube, tube->path->nline);
  const double at = length_to(r, frame, look.tube, piece) / L;
  const double k = (at - tube->belly[0]) / (tube->belly[1] - tube->belly[0]);
  const double bulge = k > 0 && k < 1 ? sqrt(sin(M_PI * k)) : 0;
  const double swell = (1 + SWOLLEN * lb_bent_activation(r, frame, line)) *
                       fmax(0.7, fmin(1.4, sqrt(start / L))); // volume is kept
  return isfinite(L) ? own * (TENDON + (swell - TENDON) * bulge) : own;
}

static void piece_ends(const lb_recording* r, int frame, const lb_model_line* line,
                       lb_vec3 end[2]) {
  const lb_model* m = r->model;
  const lb_transform* pose = r->pose + (size_t)frame * (size_t)m->nbody;
  for (int i = 0; i < 2; i++) {
    const lb_anchor* at = &line->at[i];
    const int body = line->point[i].body;
    lb_vec3 p = line->point[i].at; // in the body's frame
    if (at->link != LB_WORLD && lb_link_is_face(m->link.kind[at->link])) {
      p = lb_transform_point(face_pose(r, frame, at->link), at->X.p);
    }
    end[i] = body == LB_WORLD ? p : lb_transform_point(pose[body], p);
  }
}

void lb_bent_line(const lb_recording* r, int frame, int line, lb_vec3 end[2]) {
  const lb_model* m = r->model;
  if (line < m->force.nline) {
    piece_ends(r, frame, &m->force.line[line], end);
    return;
  }
  if (line >= m->force.nline + m->particles.nsegment) {
    tube_ends(r, frame, line - m->force.nline - m->particles.nsegment, end);
    return;
  }
  for (int i = 0; i < 2; i++) {
    end[i] = lb_bent_particle(r, frame, m->particles.segment[line - m->force.nline].particle[i]);
  }
}
