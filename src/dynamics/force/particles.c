#include "dynamics/force/particles.h"

#include <math.h>
#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"
#include "math/linear/dense.h"

lb_particles* lb_particles_lay_out(lb_carver* c, const lb_model* m) {
  if (m->particles.nparticle == 0) {
    return NULL;
  }
  size_t most = 0;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    most = (size_t)m->particles.deformable[i].nparticle > most
               ? (size_t)m->particles.deformable[i].nparticle
               : most;
  }
  lb_particles* particles = lb_carve(c, 1, sizeof *particles);
  const size_t n = 3 * (size_t)m->particles.nparticle;
  lb_particles made;
  made.x = lb_carve(c, n, sizeof(double));
  made.xd = lb_carve(c, n, sizeof(double));
  made.f = lb_carve(c, n, sizeof(double));
  made.u = lb_carve(c, 3 * most, sizeof(double));
  made.g = lb_carve(c, 3 * most, sizeof(double));
  if (particles) {
    *particles = made;
  }
  return particles;
}

void lb_particles_move(const lb_model* m, lb_data* d, const double* q, const double* qd) {
  const lb_particles* particles = d->work->particles;
  lb_move_origins(m, d->work, qd);
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_model_particle* particle = &m->particles.particle[i];
    double *x = particles->x + 3 * i, *xd = particles->xd + 3 * i;
    if (particle->link == LB_PARTICLE_FREE) {
      memcpy(x, q + particle->q, 3 * sizeof *x);
      memcpy(xd, qd + particle->v, 3 * sizeof *xd);
    } else {
      const lb_anchor at = {particle->link, {lb_quat_identity(), particle->at}};
      const lb_force_point p = lb_force_point_find(d->work, &at);
      lb_v4_store(x, p.at);
      lb_v4_store(xd, p.velocity);
    }
  }
}

void lb_particles_add_weight(const lb_model* m, double* tau) {
  const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
  for (int k = m->nv - 3 * m->particles.nfree, c = 0; k < m->nv; k++, c = (c + 1) % 3) {
    tau[k] -= m->dof.armature[k] * g[c];
  }
}

void lb_particles_accelerate(const lb_model* m, double* qdd, const double* tau) {
  const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
  for (int k = m->nv - 3 * m->particles.nfree, c = 0; k < m->nv; k++, c = (c + 1) % 3) {
    qdd[k] = tau[k] / m->dof.armature[k] + g[c];
  }
}

double lb_particles_gravity(const lb_model* m, const double* q) {
  const lb_v4 g = lb_v4_from(m->gravity);
  double sum = 0;
  for (int i = 0; i < m->particles.nparticle; i++) {
    if (m->particles.particle[i].link == LB_PARTICLE_FREE) {
      sum -=
          m->particles.particle[i].mass * lb_v4_dot(g, lb_v4_load(q + m->particles.particle[i].q));
    }
  }
  return sum;
}

void lb_particles_add_momentum(const lb_model* m, const lb_data* d, lb_v4* linear, lb_v4* angular,
                               lb_momenta* sum) {
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_model_particle* particle = &m->particles.particle[i];
    if (particle->link == LB_PARTICLE_FREE) {
      const lb_v4 P = lb_v4_load(d->qd + particle->v) * particle->mass;
      const lb_v4 L = lb_v4_cross(lb_v4_load(d->q + particle->q), P);
      *linear += P;
      *angular += L;
      sum->linear_sum += sqrt(lb_v4_dot(P, P));
      sum->angular_sum += sqrt(lb_v4_dot(L, L));
    }
  }
}

// --- forces ---

// Just at its length a string counts as taut. Its damping comes in over a small strain: if it
// came in at once, a step that ends there would have no solution.
static const double SLACK = 1 - 1e-9, DAMPED = 1e-3;

static double damped_share(const lb_model_segment* s, double l) {
  return s->pushes ? 1 : fmin(1, fmax(0, (l / s->length - 1) / DAMPED));
}

// Derivative of a segment's damping by its length, while it comes in.
static double damping_slope(const lb_model_segment* s, double l) {
  const double strain = l / s->length - 1;
  const bool coming = !s->pushes && strain > 0 && strain < DAMPED;
  return coming ? s->stiffness * s->damping / (DAMPED * s->length * s->length) : 0;
}

// From the first end of a segment to the second.
static lb_v4 way(const lb_model_segment* s, const double* x) {
  return lb_v4_load(x + 3 * s->particle[1]) - lb_v4_load(x + 3 * s->particle[0]);
}

// f on the second end, its opposite on the first.
static void add_pair(const lb_model_segment* s, double* y, lb_v4 f) {
  lb_v4_add_to(y + 3 * s->particle[1], f);
  lb_v4_add_to(y + 3 * s->particle[0], -f);
}

lb_segment_state lb_segment_look(const lb_model_segment* s, const double* x, const double* xd) {
  const lb_v4 apart = way(s, x);
  const double l = sqrt(lb_v4_dot(apart, apart));
  lb_segment_state state = {.along = s->stiffness / s->length,
                            .damping = damped_share(s, l) * s->stiffness * s->damping / s->length};
  if (!s->pushes && l < SLACK * s->length) {
    return (lb_segment_state){0};
  }
  if (l > 0) { // at a point there is no direction to pull in
    state.n = apart / l;
    state.length = l;
    state.relative_velocity = way(s, xd);
    state.across = s->stiffness * (1 / s->length - 1 / l);
    state.tension =
        state.along * (l - s->length) + state.damping * lb_v4_dot(state.n, state.relative_velocity);
    state.tension = s->pushes ? state.tension : fmax(0, state.tension);
  }
  return state;
}

// With T the tension, P = 1 - n n', c the damping and its slope c', which comes in with the strain,
//
//   d(T n) = (T/l P + n (k n + c'(n.xd) n + c/l P xd)') dx + c n n' dxd
//
// of which the symmetric part is (EA (1/L - 1/l) P + k n n') dx + c n n' dxd.
lb_segment_slope lb_segment_differentiate(const lb_model_segment* s, const double* x,
                                          const double* xd, bool symmetric) {
  const lb_segment_state now = lb_segment_look(s, x, xd);
  if (!(now.length > 0) || (!symmetric && !s->pushes && now.tension == 0)) {
    return (lb_segment_slope){{{0}, {0}, {0}}, {{0}, {0}, {0}}};
  }
  const double rate = lb_v4_dot(now.n, now.relative_velocity), slope = damping_slope(s, now.length);
  const double share = symmetric ? now.across : now.tension / now.length;
  const lb_v4 comes_in =
      now.n * (slope * rate) + (now.relative_velocity - now.n * rate) * (now.damping / now.length);
  lb_segment_slope by = {{{share, 0, 0}, {0, share, 0}, {0, 0, share}}, {{0}, {0}, {0}}};
  lb_m3_add_outer(&by.place, now.along - share, now.n, now.n);
  if (!symmetric) {
    lb_m3_add_outer(&by.place, 1, now.n, comes_in);
  }
  lb_m3_add_outer(&by.velocity, now.damping, now.n, now.n);
  return by;
}

// T = EA (l/L - 1 + share beta (n.xd)/L), and the share comes in with the strain l/L - 1.
double lb_segment_by_number(const lb_model_segment* s, const double* x, const double* xd,
                            lb_spring_number number) {
  const lb_segment_state now = lb_segment_look(s, x, xd);
  if (!(now.length > 0) || (!s->pushes && now.tension == 0)) {
    return 0;
  }
  const double strain = now.length / s->length - 1;
  const double rate = lb_v4_dot(now.n, now.relative_velocity) / s->length;
  const double share = damped_share(s, now.length);
  const bool coming = !s->pushes && strain > 0 && strain < DAMPED;
  if (number == LB_SPRING_STIFFNESS) {
    return strain + share * s->damping * rate;
  }
  if (number == LB_SPRING_DAMPING) {
    return s->stiffness * share * rate;
  }
  const double by_strain = 1 + (coming ? s->damping * rate / DAMPED : 0);
  return -s->stiffness * (by_strain * (strain + 1) + share * s->damping * rate) / s->length;
}

static void pull_segments(const lb_model* m, const lb_particles* particles) {
  for (int k = 0; k < m->particles.nsegment; k++) {
    const lb_model_segment* s = &m->particles.segment[k];
    const lb_segment_state now = lb_segment_look(s, particles->x, particles->xd);
    add_pair(s, particles->f, now.n * -now.tension);
  }
}

void lb_particles_displace(const lb_particles* particles, const lb_model_deformable* deformable) {
  const double* x = particles->x + 3 * deformable->first_particle;
  for (int i = 0; i < deformable->nparticle; i++) {
    const lb_vec3 X = deformable->fem->node[i];
    particles->u[3 * i] = x[3 * i] - X.x;
    particles->u[3 * i + 1] = x[3 * i + 1] - X.y;
    particles->u[3 * i + 2] = x[3 * i + 2] - X.z;
  }
}

void lb_particles_pull_deformable(const lb_particles* particles,
                                  const lb_model_deformable* deformable) {
  const size_t first = 3 * (size_t)deformable->first_particle;
  lb_particles_displace(particles, deformable);
  lb_fem_force(deformable->fem, particles->g, particles->u);
  for (int k = 0; k < 3 * deformable->nparticle; k++) {
    particles->f[first + (size_t)k] -= particles->g[k];
  }
  lb_viscous_add_force(deformable->viscous, particles->f + first, particles->x + first,
                       particles->xd + first);
}

void lb_particles_pull(const lb_model* m, const lb_particles* particles) {
  memset(particles->f, 0, 3 * (size_t)m->particles.nparticle * sizeof *particles->f);
  pull_segments(m, particles);
  for (int i = 0; i < m->particles.ndeformable; i++) {
    lb_particles_pull_deformable(particles, &m->particles.deformable[i]);
  }
  for (int i = 0; i < m->particles.nparticle; i++) {
    lb_v4_add_to(particles->f + 3 * i,
                 lb_v4_load(particles->xd + 3 * i) * -m->particles.particle[i].drag);
  }
}

static int count(const lb_model* m) {
  return m->particles.nparticle;
}

static void apply(const lb_model* m, lb_data* d) {
  const lb_particles* particles = d->work->particles;
  lb_particles_move(m, d, d->q, d->qd);
  lb_particles_pull(m, particles);
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_model_particle* particle = &m->particles.particle[i];
    const lb_v4 f = lb_v4_load(particles->f + 3 * i);
    if (particle->link == LB_PARTICLE_FREE) {
      lb_v4_add_to(d->work->tau + particle->v, f);
    } else {
      const lb_anchor at = {particle->link, {lb_quat_identity(), particle->at}};
      const lb_force_point p = lb_force_point_find(d->work, &at);
      lb_force_point_apply(&p, f);
    }
  }
}

static double energy(const lb_model* m, lb_data* d) {
  const lb_particles* particles = d->work->particles;
  lb_particles_move(m, d, d->q, d->qd);
  double sum = 0;
  for (int k = 0; k < m->particles.nsegment; k++) {
    const lb_model_segment* s = &m->particles.segment[k];
    const lb_v4 apart = way(s, particles->x);
    const double strain = sqrt(lb_v4_dot(apart, apart)) / s->length - 1;
    sum += s->pushes || strain > 0 ? 0.5 * s->stiffness * s->length * strain * strain : 0;
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    lb_particles_displace(particles, &m->particles.deformable[i]);
    sum += lb_fem_energy(m->particles.deformable[i].fem, particles->u);
  }
  return sum;
}

// Switching functions of strings: the length, whose damping comes in over a small strain, and while
// they are taut the tension, which never pushes.
static void segment_switching(const lb_model_segment* s, const lb_particles* particles,
                              lb_switching* out) {
  const lb_v4 apart = way(s, particles->x);
  const double l = sqrt(lb_v4_dot(apart, apart)), strain = l / s->length - 1;
  const double rate = lb_v4_dot(apart, way(s, particles->xd)) / (l * s->length);
  out[0] = lb_switching_sign(strain);
  if (s->damping > 0) {
    lb_switching_kink(&out[0], DAMPED);
  }
  out[1] = strain > 0 ? lb_switching_sign(strain + damped_share(s, l) * s->damping * rate)
                      : lb_switching_smooth(0);
}

static int switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  if (out) {
    lb_particles_move(m, d, d->q, d->qd);
  }
  for (int k = 0; k < m->particles.nsegment; k++) {
    if (!m->particles.segment[k].pushes) {
      if (out) {
        segment_switching(&m->particles.segment[k], d->work->particles, out + n);
      }
      n += 2;
    }
  }
  return n;
}

// The largest tension in each rope.
static void measure(lb_channel_walk* w) {
  const lb_particles* particles = w->value ? w->d->work->particles : NULL;
  for (int i = 0; i < w->m->particles.nrope; i++) {
    const lb_model_rope* rope = &w->m->particles.rope[i];
    double most = 0;
    int end = rope->first_segment;
    for (int k = 0; k < rope->nway; k++) {
      end += rope->share[k];
    }
    for (int k = rope->first_segment; k < end && particles; k++) {
      most = fmax(
          most, lb_segment_look(&w->m->particles.segment[k], particles->x, particles->xd).tension);
    }
    lb_channel_put(w, rope->name, LB_CHANNEL_TENSION, most, "force");
  }
}

const lb_force lb_force_particles = {.name = "rope and deformable",
                                     .count = count,
                                     .apply = apply,
                                     .energy = energy,
                                     .switching = switching,
                                     .measure = measure,
                                     .on_links = true};

// --- derivatives ---

// y += s K z + c C zd of a deformable, whose K and C are symmetric.
static void linearise_deformable(const lb_particles* particles,
                                 const lb_model_deformable* deformable, double* y, double s,
                                 const double* z, double c, const double* zd) {
  const size_t first = 3 * (size_t)deformable->first_particle,
               n = 3 * (size_t)deformable->nparticle;
  lb_particles_displace(particles, deformable);
  if (s != 0) {
    lb_fem_apply(deformable->fem, particles->g, particles->u, z + first);
    lb_add((int)n, y + first, s, particles->g);
  }
  if (c != 0) {
    memset(particles->g, 0, n * sizeof *particles->g);
    lb_viscous_add_force(deformable->viscous, particles->g, particles->x + first, zd + first);
    lb_add((int)n, y + first, -c, particles->g);
  }
}

// y = s K z + c C zd; all of it, or the symmetric part, without how damping changes with places.
static void change_all(const lb_model* m, const lb_particles* particles, double* y, double s,
                       const double* z, double c, const double* zd, bool symmetric) {
  for (int k = 0; k < 3 * m->particles.nparticle; k++) {
    y[k] = c * m->particles.particle[k / 3].drag * zd[k];
  }
  for (int k = 0; k < m->particles.nsegment; k++) {
    const lb_model_segment* own = &m->particles.segment[k];
    const lb_segment_slope by =
        lb_segment_differentiate(own, particles->x, particles->xd, symmetric);
    add_pair(own, y,
             lb_m3_apply(by.place, way(own, z)) * s + lb_m3_apply(by.velocity, way(own, zd)) * c);
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    const lb_model_deformable* own = &m->particles.deformable[i];
    const size_t first = 3 * (size_t)own->first_particle;
    linearise_deformable(particles, own, y, s, z, c, zd);
    if (!symmetric) {
      lb_viscous_add_change(own->viscous, y + first, particles->x + first, particles->xd + first,
                            z + first, false);
    }
  }
}

void lb_particles_linearised(const lb_model* m, const lb_particles* particles, double* y, double s,
                             double c, const double* z) {
  change_all(m, particles, y, s, z, c, z, true);
}

void lb_particles_change(const lb_model* m, const lb_particles* particles, double* y,
                         const double* z, const double* zd) {
  change_all(m, particles, y, 1, z, 1, zd, false);
}

void lb_particles_change_back(const lb_model* m, const lb_particles* particles, double* z,
                              double* zd, const double* y) {
  for (int k = 0; k < 3 * m->particles.nparticle; k++) {
    z[k] = 0;
    zd[k] = m->particles.particle[k / 3].drag * y[k];
  }
  for (int k = 0; k < m->particles.nsegment; k++) {
    const lb_model_segment* own = &m->particles.segment[k];
    const lb_segment_slope by = lb_segment_differentiate(own, particles->x, particles->xd, false);
    add_pair(own, z, lb_m3_apply_transposed(by.place, way(own, y)));
    add_pair(own, zd, lb_m3_apply_transposed(by.velocity, way(own, y)));
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    const lb_model_deformable* own = &m->particles.deformable[i];
    const size_t first = 3 * (size_t)own->first_particle;
    linearise_deformable(particles, own, z, 1, y, 0, y);
    linearise_deformable(particles, own, zd, 0, y, 1, y);
    lb_viscous_add_change(own->viscous, z + first, particles->x + first, particles->xd + first,
                          y + first, true);
  }
}

// When a link turns by w, a force f at an arm stays: beyond turning along it changes by -w x f, and
// its moment by -arm x (w x f) = -((arm.f) w - f (arm.w)).
void lb_particles_differentiate_turning(lb_derivatives* D, lb_data* d, const lb_model* m) {
  lb_motion *S = D->work->lever[0], *change = D->work->lever[1];
  const double* force = d->work->particles->f;
  for (int i = 0; i < m->particles.nparticle; i++) {
    const lb_model_particle* particle = &m->particles.particle[i];
    if (particle->link < 0) {
      continue;
    }
    const lb_anchor at = {particle->link, {lb_quat_identity(), particle->at}};
    const lb_force_point p = lb_force_point_find(d->work, &at);
    const lb_v4 f = lb_v4_load(force + 3 * i);
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < D->model->nv; k++) {
      change[k] = (lb_motion){lb_v4_zero(), -lb_v4_cross(S[k].w, f)};
    }
    lb_derive_force(D, D->tau_q, S, change);
  }
}
