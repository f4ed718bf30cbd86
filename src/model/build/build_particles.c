// The particles of ropes and deformables: where they start, what they are fastened to, what they
// weigh.
//
// A node that is fastened to a body is a point of it, [red] eq. 4.90: it has no coordinates, and
// its mass belongs to the body's link. So all that is left of it in the equations of motion are the
// forces that act there.
#include <math.h>
#include <string.h>

#include "elastic/fem/fem.h"
#include "geom/shape/shape.h"
#include "geom/tet/tetmesh.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

// --- fastening ---

static lb_vec3 in_world(const lb_model* m, const lb_transform* pose, int body, lb_vec3 at) {
  return body == LB_WORLD ? at : lb_transform_point(lb_body_pose(m, body, pose), at);
}

// Fasten node i to a body, at a point of it.
static void fasten(lb_model* m, int i, int body, lb_vec3 at) {
  lb_model_particle* particle = &m->particles.particle[i];
  particle->body = body;
  particle->in_body = at;
  if (body == LB_WORLD) {
    particle->link = LB_WORLD;
    particle->at = at;
    return;
  }
  particle->link = m->body.link[body];
  particle->at = lb_transform_point(m->body.in_link[body], at);
}

// --- ropes ---

// Segments of a rope from point k to the next: by the lengths, one at least. A remainder goes to
// the last ways that can take it.
static void share_segments(const lb_scene_rope* s, const lb_vec3* at, int* count) {
  const int ways = s->npoint - 1;
  double total = 0;
  if (s->share) {
    memcpy(count, s->share, (size_t)ways * sizeof *count);
    return;
  }
  for (int k = 0; k < ways; k++) {
    total += lb_vec3_norm(lb_vec3_sub(at[k + 1], at[k]));
  }
  double so_far = 0;
  int given = 0;
  for (int k = 0; k < ways; k++) {
    so_far += lb_vec3_norm(lb_vec3_sub(at[k + 1], at[k]));
    const int most = s->segments - (ways - 1 - k); // one each for those that follow
    int until = total > 0 ? (int)lround(s->segments * so_far / total) : 0;
    until = k == ways - 1 || until > most ? most : until;
    until = until > given ? until : given + 1;
    count[k] = until - given;
    given = until;
  }
}

// Springs between neighbours among the nodes from `first` on.
static lb_status add_segments(lb_build* b, const lb_scene_rope* s, int first) {
  lb_model* m = b->m;
  for (int i = first + 1; i < m->particles.nparticle; i++) {
    const double length = s->length ? s->length[i - first - 1]
                                    : lb_vec3_norm(lb_vec3_sub(m->particles.particle[i].at,
                                                               m->particles.particle[i - 1].at));
    if (!(length > 0)) {
      return lb_error_add(b->err, LB_INVALID, s->place,
                          "rope '%s': two of its points are at the same place, and a segment "
                          "between them has no length",
                          s->name);
    }
    m->particles.segment[m->particles.nsegment++] = (lb_model_segment){.particle = {i - 1, i},
                                                                       .length = s->slack * length,
                                                                       .stiffness = s->stiffness,
                                                                       .damping = s->damping,
                                                                       .pushes = s->pushes};
  }
  return LB_OK;
}

// Masses of the nodes: half of each segment's, by its length.
static void weigh_rope(lb_model* m, const lb_model_rope* rope, const lb_scene_rope* s) {
  double total = 0;
  for (int k = rope->first_segment; k < m->particles.nsegment; k++) {
    total += m->particles.segment[k].length;
  }
  for (int k = rope->first_segment; k < m->particles.nsegment; k++) {
    for (int end = 0; end < 2; end++) {
      lb_model_particle* particle = &m->particles.particle[m->particles.segment[k].particle[end]];
      particle->mass += s->mass * m->particles.segment[k].length / total / 2;
      particle->drag = s->drag * particle->mass;
    }
  }
}

static lb_status add_rope(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_scene_rope* s = &b->scene->rope[which];
  const lb_arena_mark mark = lb_arena_here(&b->deformable_arena);
  lb_vec3* at = LB_TAKE(&b->deformable_arena, lb_vec3, s->npoint);
  int* count = LB_TAKE(b->arena, int, s->npoint);
  lb_model_rope* rope = &m->particles.rope[which];
  *rope = (lb_model_rope){.name = lb_build_text(b, s->name),
                          .first_particle = m->particles.nparticle,
                          .nparticle = s->segments + 1,
                          .first_segment = m->particles.nsegment,
                          .nway = s->npoint - 1,
                          .share = count,
                          .material = s->material,
                          .radius = s->radius};
  if (!at || !count) {
    return LB_NO_MEMORY;
  }
  for (int k = 0; k < s->npoint; k++) {
    at[k] = in_world(m, pose, s->point[k].free ? LB_WORLD : s->point[k].body, s->point[k].at);
  }
  share_segments(s, at, count);
  for (int k = 0; k < s->npoint; k++) {
    for (int i = 1; k > 0 && i < count[k - 1]; i++) {
      const lb_vec3 way = lb_vec3_sub(at[k], at[k - 1]);
      m->particles.particle[m->particles.nparticle++] = (lb_model_particle){
          .link = LB_PARTICLE_FREE,
          .at = lb_vec3_add(at[k - 1], lb_vec3_scale((double)i / count[k - 1], way))};
    }
    m->particles.particle[m->particles.nparticle++] =
        (lb_model_particle){.link = LB_PARTICLE_FREE, .at = at[k]};
  }
  const lb_status status = add_segments(b, s, rope->first_particle);
  if (status != LB_OK) {
    return status;
  }
  weigh_rope(m, rope, s);
  for (int i = 0; s->start && i < rope->nparticle; i++) {
    m->particles.particle[rope->first_particle + i].at = s->start[i];
  }
  for (int k = 0, i = rope->first_particle; k < s->npoint; i += count[k], k++) {
    if (!s->point[k].free) {
      fasten(m, i, s->point[k].body, s->point[k].at);
    }
  }
  lb_arena_reset(&b->deformable_arena, mark);
  return LB_OK;
}

// --- deformables ---

// From a point of the world to a body: to its shapes, or where it has none to its origin.
static double distance(const lb_build* b, const lb_transform* X, int body, lb_vec3 x) {
  const lb_scene* s = b->scene;
  const lb_vec3 inside = lb_transform_point(lb_transform_inverse(*X), x);
  double least = INFINITY;
  for (int i = 0; i < s->nshape; i++) {
    if (s->shape[i].body == body) {
      const lb_vec3 p = lb_transform_point(lb_transform_inverse(s->shape[i].pose), inside);
      least = fmin(least, lb_shape_distance(&s->shape[i].shape, p));
    }
  }
  return isinf(least) ? lb_vec3_norm(inside) : least;
}

// Nodes inside the bodies, or near enough, are fastened to the one that they are deepest in.
static lb_status fasten_deformable(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_scene_deformable* s = &b->scene->deformable[which];
  const lb_model_deformable* deformable = &m->particles.deformable[which];
  for (int k = 0; k < s->nbody; k++) {
    const lb_transform X = lb_body_pose(m, s->body[k], pose);
    int count = 0;
    for (int i = deformable->first_particle; i < deformable->first_particle + deformable->nparticle;
         i++) {
      const lb_vec3 x =
          lb_transform_point(s->pose, deformable->fem->node[i - deformable->first_particle]);
      const double d = distance(b, &X, s->body[k], x);
      bool nearest = d <= s->within;
      for (int o = 0; o < s->nbody && nearest; o++) {
        const lb_transform Y = lb_body_pose(m, s->body[o], pose);
        const double other = o == k ? d : distance(b, &Y, s->body[o], x);
        nearest = other > d || (other == d && o >= k);
      }
      if (nearest) {
        fasten(m, i, s->body[k], lb_transform_point(lb_transform_inverse(X), x));
        count++;
      }
    }
    if (count == 0) {
      return lb_error_add(
          b->err, LB_INVALID, s->place,
          "deformable '%s' has no node inside body '%s' (make its elements smaller, or "
          "say 'within' what distance nodes are fastened)",
          s->name, b->scene->body[s->body[k]].name);
    }
  }
  return LB_OK;
}

static lb_status add_deformable(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  lb_model_deformable* deformable = &m->particles.deformable[which];
  deformable->first_particle = m->particles.nparticle;
  for (int i = 0; i < deformable->nparticle; i++) {
    const double mass = deformable->fem->node_mass[i];
    m->particles.particle[m->particles.nparticle++] = (lb_model_particle){
        .link = LB_PARTICLE_FREE,
        .at = lb_transform_point(b->scene->deformable[which].pose, deformable->fem->node[i]),
        .mass = mass,
        .drag = deformable->fem->alpha * mass};
  }
  const lb_scene_rope_point* made = b->scene->deformable[which].node;
  for (int i = 0; made && i < deformable->nparticle; i++) {
    if (made[i].free) {
      m->particles.particle[deformable->first_particle + i].at = made[i].at;
    } else {
      fasten(m, deformable->first_particle + i, made[i].body, made[i].at);
    }
  }
  return made ? LB_OK : fasten_deformable(b, which, pose);
}

// --- coordinates and masses ---

static void number_particles(lb_model* m) {
  for (int i = 0; i < m->particles.nparticle; i++) {
    lb_model_particle* particle = &m->particles.particle[i];
    if (particle->link == LB_PARTICLE_FREE) {
      const double at[3] = {particle->at.x, particle->at.y, particle->at.z};
      particle->q = m->nq;
      particle->v = m->nv;
      for (int k = 0; k < 3; k++) {
        m->start.q[m->nq++] = at[k];
        m->dof.parent[m->nv] = -1;
        m->dof.run[m->nv] = m->nv;
        m->dof.counts[m->nv] = LB_COORDINATE_LENGTH;
        m->dof.lower[m->nv] = -INFINITY;
        m->dof.upper[m->nv] = INFINITY;
        m->dof.friction_speed[m->nv] = 1;
        m->dof.armature[m->nv++] = particle->mass;
      }
      m->particles.nfree++;
    } else if (particle->link != LB_WORLD) {
      const lb_mass point = {.mass = particle->mass, .com = particle->at};
      m->link.mass[particle->link] = lb_mass_add(m->link.mass[particle->link], point);
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    lb_link_set_mass(&m->link.packed[i], m->link.mass[i]);
  }
}

lb_status lb_build_particles(lb_build* b) {
  lb_model* m = b->m;
  const lb_scene* s = b->scene;
  if (s->nrope == 0 && s->ndeformable == 0) {
    return LB_OK;
  }
  m->particles.particle = LB_TAKE(b->arena, lb_model_particle, b->nparticle);
  m->particles.segment = LB_TAKE(b->arena, lb_model_segment, b->nparticle);
  m->particles.rope = LB_TAKE(b->arena, lb_model_rope, s->nrope);
  lb_transform* pose = LB_TAKE(&b->deformable_arena, lb_transform, m->nlink);
  if (!m->particles.particle || !m->particles.segment || !m->particles.rope || !pose) {
    return LB_NO_MEMORY;
  }
  lb_link_poses(m, pose, m->start.q);
  lb_status status = LB_OK;
  for (int i = 0; i < s->nrope && status == LB_OK; i++) {
    m->particles.nrope++;
    status = add_rope(b, i, pose);
  }
  for (int i = 0; i < s->ndeformable && status == LB_OK; i++) {
    status = add_deformable(b, i, pose);
  }
  number_particles(m);
  return status;
}
