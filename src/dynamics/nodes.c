#include "dynamics/nodes.h"

#include <math.h>
#include <string.h>

#include "dynamics/force.h"
#include "dynamics/force_point.h"
#include "dynamics/kinematics.h"
#include "elastic/fem.h"
#include "elastic/viscous.h"

lb_nodes* lb_nodes_lay_out(lb_carver* c, const lb_model* m) {
  if (m->nnode == 0) {
    return NULL;
  }
  size_t most = 0;
  for (int i = 0; i < m->nsoft; i++) {
    most = (size_t)m->soft[i].nnode > most ? (size_t)m->soft[i].nnode : most;
  }
  lb_nodes* nodes = lb_carve(c, 1, sizeof *nodes);
  const size_t n = 3 * (size_t)m->nnode;
  lb_nodes made;
  made.x = lb_carve(c, n, sizeof(double));
  made.xd = lb_carve(c, n, sizeof(double));
  made.f = lb_carve(c, n, sizeof(double));
  made.u = lb_carve(c, 3 * most, sizeof(double));
  made.g = lb_carve(c, 3 * most, sizeof(double));
  if (nodes) {
    *nodes = made;
  }
  return nodes;
}

void lb_nodes_move(const lb_model* m, lb_data* d, const double* q, const double* qd) {
  const lb_nodes* nodes = d->work->nodes;
  lb_move_origins(m, d->work, qd);
  for (int i = 0; i < m->nnode; i++) {
    const lb_model_node* node = &m->node[i];
    double *x = nodes->x + 3 * i, *xd = nodes->xd + 3 * i;
    if (node->link == LB_NODE_FREE) {
      memcpy(x, q + node->q, 3 * sizeof *x);
      memcpy(xd, qd + node->v, 3 * sizeof *xd);
    } else {
      const lb_anchor at = {node->link, {lb_quat_identity(), node->at}};
      const lb_force_point p = lb_force_point_find(d->work, &at);
      lb_v4_store(x, p.at);
      lb_v4_store(xd, p.velocity);
    }
  }
}

void lb_nodes_add_weight(const lb_model* m, double* tau) {
  const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
  for (int k = m->nv - 3 * m->nfree, c = 0; k < m->nv; k++, c = (c + 1) % 3) {
    tau[k] -= m->armature[k] * g[c];
  }
}

void lb_nodes_accelerate(const lb_model* m, double* qdd, const double* tau) {
  const double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z};
  for (int k = m->nv - 3 * m->nfree, c = 0; k < m->nv; k++, c = (c + 1) % 3) {
    qdd[k] = tau[k] / m->armature[k] + g[c];
  }
}

double lb_nodes_gravity(const lb_model* m, const double* q) {
  const lb_v4 g = lb_v4_from(m->gravity);
  double sum = 0;
  for (int i = 0; i < m->nnode; i++) {
    if (m->node[i].link == LB_NODE_FREE) {
      sum -= m->node[i].mass * lb_v4_dot(g, lb_v4_load(q + m->node[i].q));
    }
  }
  return sum;
}

void lb_nodes_add_momentum(const lb_model* m, const lb_data* d, lb_v4* linear, lb_v4* angular,
                           lb_momenta* sum) {
  for (int i = 0; i < m->nnode; i++) {
    const lb_model_node* node = &m->node[i];
    if (node->link == LB_NODE_FREE) {
      const lb_v4 P = lb_v4_load(d->qd + node->v) * node->mass;
      const lb_v4 L = lb_v4_cross(lb_v4_load(d->q + node->q), P);
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

// How a segment's damping grows with its length, while it comes in.
static double damping_slope(const lb_model_segment* s, double l) {
  const double strain = l / s->length - 1;
  const bool coming = !s->pushes && strain > 0 && strain < DAMPED;
  return coming ? s->stiffness * s->damping / (DAMPED * s->length * s->length) : 0;
}

lb_segment_state lb_segment_look(const lb_model_segment* s, const double* x, const double* xd) {
  const lb_v4 way = lb_v4_load(x + 3 * s->node[1]) - lb_v4_load(x + 3 * s->node[0]);
  const double l = sqrt(lb_v4_dot(way, way));
  lb_segment_state state = {.along = s->stiffness / s->length,
                            .damping = damped_share(s, l) * s->stiffness * s->damping / s->length};
  if (!s->pushes && l < SLACK * s->length) {
    return (lb_segment_state){0};
  }
  if (l > 0) { // at a point there is no direction to pull in
    state.n = way / l;
    state.length = l;
    state.pace = lb_v4_load(xd + 3 * s->node[1]) - lb_v4_load(xd + 3 * s->node[0]);
    state.across = s->stiffness * (1 / s->length - 1 / l);
    state.tension = state.along * (l - s->length) + state.damping * lb_v4_dot(state.n, state.pace);
    state.tension = s->pushes ? state.tension : fmax(0, state.tension);
  }
  return state;
}

// With T the tension, P = 1 - n n', c the damping and its slope c', which comes in with the strain,
//
//   d(T n) = (T/l P + n (k n + c'(n.pace) n + c/l P pace)') dx + c n n' dxd
lb_segment_slope lb_segment_differentiate(const lb_model_segment* s, const double* x,
                                          const double* xd) {
  const lb_segment_state now = lb_segment_look(s, x, xd);
  if (!(now.length > 0) || (!s->pushes && now.tension == 0)) {
    return (lb_segment_slope){{{0}, {0}, {0}}, {{0}, {0}, {0}}};
  }
  const double rate = lb_v4_dot(now.n, now.pace), slope = damping_slope(s, now.length);
  const double share = now.tension / now.length;
  const lb_v4 grow =
      now.n * (now.along + slope * rate) + (now.pace - now.n * rate) * (now.damping / now.length);
  lb_segment_slope by = {{{share, 0, 0}, {0, share, 0}, {0, 0, share}}, {{0}, {0}, {0}}};
  lb_m3_add_outer(&by.place, -share, now.n, now.n);
  lb_m3_add_outer(&by.place, 1, now.n, grow);
  lb_m3_add_outer(&by.velocity, now.damping, now.n, now.n);
  return by;
}

// T = EA (l/L - 1 + share beta (n.pace)/L), and the share comes in with the strain l/L - 1.
double lb_segment_by_number(const lb_model_segment* s, const double* x, const double* xd,
                            lb_spring_number number) {
  const lb_segment_state now = lb_segment_look(s, x, xd);
  if (!(now.length > 0) || (!s->pushes && now.tension == 0)) {
    return 0;
  }
  const double strain = now.length / s->length - 1;
  const double rate = lb_v4_dot(now.n, now.pace) / s->length;
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

static void pull_segments(const lb_model* m, const lb_nodes* nodes) {
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_segment_state now = lb_segment_look(s, nodes->x, nodes->xd);
    lb_v4_add_to(nodes->f + 3 * s->node[0], now.n * now.tension);
    lb_v4_add_to(nodes->f + 3 * s->node[1], now.n * -now.tension);
  }
}

void lb_nodes_displace(const lb_nodes* nodes, const lb_model_soft* soft) {
  const double* x = nodes->x + 3 * soft->first_node;
  for (int i = 0; i < soft->nnode; i++) {
    const lb_vec3 X = soft->fem->node[i];
    nodes->u[3 * i] = x[3 * i] - X.x;
    nodes->u[3 * i + 1] = x[3 * i + 1] - X.y;
    nodes->u[3 * i + 2] = x[3 * i + 2] - X.z;
  }
}

void lb_nodes_pull_soft(const lb_nodes* nodes, const lb_model_soft* soft) {
  const size_t first = 3 * (size_t)soft->first_node;
  lb_nodes_displace(nodes, soft);
  lb_fem_force(soft->fem, nodes->g, nodes->u);
  for (int k = 0; k < 3 * soft->nnode; k++) {
    nodes->f[first + (size_t)k] -= nodes->g[k];
  }
  lb_viscous_add_force(soft->viscous, nodes->f + first, nodes->x + first, nodes->xd + first);
}

void lb_nodes_pull(const lb_model* m, const lb_nodes* nodes) {
  memset(nodes->f, 0, 3 * (size_t)m->nnode * sizeof *nodes->f);
  pull_segments(m, nodes);
  for (int i = 0; i < m->nsoft; i++) {
    lb_nodes_pull_soft(nodes, &m->soft[i]);
  }
  for (int i = 0; i < m->nnode; i++) {
    lb_v4_add_to(nodes->f + 3 * i, lb_v4_load(nodes->xd + 3 * i) * -m->node[i].drag);
  }
}

static int count(const lb_model* m) {
  return m->nnode;
}

static void apply(const lb_model* m, lb_data* d) {
  const lb_nodes* nodes = d->work->nodes;
  lb_nodes_move(m, d, d->q, d->qd);
  lb_nodes_pull(m, nodes);
  for (int i = 0; i < m->nnode; i++) {
    const lb_model_node* node = &m->node[i];
    const lb_v4 f = lb_v4_load(nodes->f + 3 * i);
    if (node->link == LB_NODE_FREE) {
      lb_v4_add_to(d->work->tau + node->v, f);
    } else {
      const lb_anchor at = {node->link, {lb_quat_identity(), node->at}};
      const lb_force_point p = lb_force_point_find(d->work, &at);
      lb_force_point_push(&p, f);
    }
  }
}

static double energy(const lb_model* m, lb_data* d) {
  const lb_nodes* nodes = d->work->nodes;
  lb_nodes_move(m, d, d->q, d->qd);
  double sum = 0;
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_v4 way = lb_v4_load(nodes->x + 3 * s->node[1]) - lb_v4_load(nodes->x + 3 * s->node[0]);
    const double strain = sqrt(lb_v4_dot(way, way)) / s->length - 1;
    sum += s->pushes || strain > 0 ? 0.5 * s->stiffness * s->length * strain * strain : 0;
  }
  for (int i = 0; i < m->nsoft; i++) {
    lb_nodes_displace(nodes, &m->soft[i]);
    sum += lb_fem_energy(m->soft[i].fem, nodes->u);
  }
  return sum;
}

// Of strings: the length, whose damping comes in over a small strain, and while they are taut the
// tension, which never pushes.
static void segment_switching(const lb_model_segment* s, const lb_nodes* nodes, lb_switching* out) {
  const lb_v4 way = lb_v4_load(nodes->x + 3 * s->node[1]) - lb_v4_load(nodes->x + 3 * s->node[0]);
  const lb_v4 pace =
      lb_v4_load(nodes->xd + 3 * s->node[1]) - lb_v4_load(nodes->xd + 3 * s->node[0]);
  const double l = sqrt(lb_v4_dot(way, way)), strain = l / s->length - 1;
  const double rate = lb_v4_dot(way, pace) / (l * s->length);
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
    lb_nodes_move(m, d, d->q, d->qd);
  }
  for (int k = 0; k < m->nsegment; k++) {
    if (!m->segment[k].pushes) {
      if (out) {
        segment_switching(&m->segment[k], d->work->nodes, out + n);
      }
      n += 2;
    }
  }
  return n;
}

const lb_force lb_force_nodes = {.name = "strand and flesh",
                                 .count = count,
                                 .apply = apply,
                                 .energy = energy,
                                 .switching = switching,
                                 .on_links = true};

// --- derivatives ---

static void answer_segments(const lb_model* m, const lb_nodes* nodes, double* y, double s, double c,
                            const double* z) {
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* segment = &m->segment[k];
    const int a = 3 * segment->node[0], b = 3 * segment->node[1];
    const lb_segment_state now = lb_segment_look(segment, nodes->x, nodes->xd);
    const lb_v4 way = lb_v4_load(z + b) - lb_v4_load(z + a);
    const lb_v4 along = now.n * lb_v4_dot(now.n, way);
    const lb_v4 f = along * (s * now.along + c * now.damping) + (way - along) * (s * now.across);
    lb_v4_add_to(y + b, f);
    lb_v4_add_to(y + a, -f);
  }
}

void lb_nodes_answer_soft(const lb_nodes* nodes, const lb_model_soft* soft, double* y, double s,
                          double c, const double* z) {
  const size_t first = 3 * (size_t)soft->first_node;
  lb_nodes_displace(nodes, soft);
  if (s != 0) {
    lb_fem_apply(soft->fem, nodes->g, nodes->u, z + first);
    for (int k = 0; k < 3 * soft->nnode; k++) {
      y[first + (size_t)k] += s * nodes->g[k];
    }
  }
  if (c != 0) {
    memset(nodes->g, 0, 3 * (size_t)soft->nnode * sizeof *nodes->g);
    lb_viscous_add_force(soft->viscous, nodes->g, nodes->x + first, z + first);
    for (int k = 0; k < 3 * soft->nnode; k++) {
      y[first + (size_t)k] -= c * nodes->g[k];
    }
  }
}

void lb_nodes_answer(const lb_model* m, const lb_nodes* nodes, double* y, double s, double c,
                     const double* z) {
  for (int i = 0; i < m->nnode; i++) {
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      y[k] = c * m->node[i].drag * z[k];
    }
  }
  answer_segments(m, nodes, y, s, c, z);
  for (int i = 0; i < m->nsoft; i++) {
    lb_nodes_answer_soft(nodes, &m->soft[i], y, s, c, z);
  }
}

// The same for segments as they are: both ends' blocks are K, with minus signs between them.
static void change_segments(const lb_model* m, const lb_nodes* nodes, double* y, const double* z,
                            const double* zd) {
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const int a = 3 * s->node[0], b = 3 * s->node[1];
    const lb_segment_slope by = lb_segment_differentiate(s, nodes->x, nodes->xd);
    const lb_v4 f = lb_m3_apply(by.place, lb_v4_load(z + b) - lb_v4_load(z + a)) +
                    lb_m3_apply(by.velocity, lb_v4_load(zd + b) - lb_v4_load(zd + a));
    lb_v4_add_to(y + b, f);
    lb_v4_add_to(y + a, -f);
  }
}

void lb_nodes_change(const lb_model* m, const lb_nodes* nodes, double* y, const double* z,
                     const double* zd) {
  for (int i = 0; i < m->nnode; i++) {
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      y[k] = m->node[i].drag * zd[k];
    }
  }
  change_segments(m, nodes, y, z, zd);
  for (int i = 0; i < m->nsoft; i++) {
    const lb_model_soft* soft = &m->soft[i];
    const size_t first = 3 * (size_t)soft->first_node;
    lb_nodes_answer_soft(nodes, soft, y, 1, 0, z);
    lb_nodes_answer_soft(nodes, soft, y, 0, 1, zd);
    lb_viscous_add_change(soft->viscous, y + first, nodes->x + first, nodes->xd + first, z + first,
                          false);
  }
}

static void change_segments_back(const lb_model* m, const lb_nodes* nodes, double* z, double* zd,
                                 const double* y) {
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const int a = 3 * s->node[0], b = 3 * s->node[1];
    const lb_segment_slope by = lb_segment_differentiate(s, nodes->x, nodes->xd);
    const lb_v4 way = lb_v4_load(y + b) - lb_v4_load(y + a);
    const lb_v4 place = lb_m3_apply_transposed(by.place, way);
    const lb_v4 velocity = lb_m3_apply_transposed(by.velocity, way);
    lb_v4_add_to(z + b, place);
    lb_v4_add_to(z + a, -place);
    lb_v4_add_to(zd + b, velocity);
    lb_v4_add_to(zd + a, -velocity);
  }
}

void lb_nodes_change_back(const lb_model* m, const lb_nodes* nodes, double* z, double* zd,
                          const double* y) {
  for (int i = 0; i < m->nnode; i++) {
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      z[k] = 0;
      zd[k] = m->node[i].drag * y[k];
    }
  }
  change_segments_back(m, nodes, z, zd, y);
  for (int i = 0; i < m->nsoft; i++) {
    const lb_model_soft* soft = &m->soft[i];
    const size_t first = 3 * (size_t)soft->first_node;
    lb_nodes_answer_soft(nodes, soft, z, 1, 0, y);
    lb_nodes_answer_soft(nodes, soft, zd, 0, 1, y);
    lb_viscous_add_change(soft->viscous, z + first, nodes->x + first, nodes->xd + first, y + first,
                          true);
  }
}

// When a link turns by w, a force f at an arm stays: beyond turning along it changes by -w x f, and
// its moment by -arm x (w x f) = -((arm.f) w - f (arm.w)).
void lb_nodes_differentiate_turning(lb_derivatives* D, lb_data* d, const lb_model* m) {
  lb_motion *S = D->work->lever[0], *change = D->work->lever[1];
  const double* force = d->work->nodes->f;
  for (int i = 0; i < m->nnode; i++) {
    const lb_model_node* node = &m->node[i];
    if (node->link < 0) {
      continue;
    }
    const lb_anchor at = {node->link, {lb_quat_identity(), node->at}};
    const lb_force_point p = lb_force_point_find(d->work, &at);
    const lb_v4 f = lb_v4_load(force + 3 * i);
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < D->model->nv; k++) {
      change[k] = (lb_motion){lb_v4_zero(), -lb_v4_cross(S[k].w, f)};
    }
    lb_derive_push(D, D->tau_q, S, change);
  }
}
