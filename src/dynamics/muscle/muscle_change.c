#include "dynamics/muscle/muscle_change.h"

#include <string.h>

#include "dynamics/force/muscle.h"

// --- nodes and frames ---

static lb_motions take(const lb_derivatives* D, int i, int link, lb_v4 arm) {
  const size_t nv = (size_t)D->model->nv;
  const lb_derivation* W = D->work;
  lb_motion* at = W->points + (size_t)(LB_POINT_ARRAYS * i) * nv;
  const lb_motions m = {at, at + nv, at + 2 * nv, at + 3 * nv, at + 4 * nv};
  lb_derive_columns(D, m.S, W->S, link, arm);
  lb_derive_columns(D, m.psi, W->psi, link, arm);
  lb_derive_columns(D, m.chi, W->chi, link, arm);
  lb_derive_columns(D, m.sig, W->sig, link, arm);
  return m;
}

static lb_node_change node_by_q(const lb_path_changes* d, int i, int k) {
  const lb_path_node* n = &d->P->p.node[i];
  const lb_motions* m = &d->node[i];
  const lb_v4 theta = m->S[k].w, v = n->at.velocity;
  lb_node_change c = {theta, m->S[k].v, m->psi[k].v + lb_v4_cross(theta, v),
                      m->chi[k].v + 2 * lb_v4_cross(m->psi[k].w, v) +
                          lb_v4_cross(theta, n->acceleration)};
  if (n->item->v == k) {
    const lb_state* s = &d->w->state[n->item->at.link];
    const double r = d->qd[k];
    c.dx += n->slope[0];
    c.dxd += lb_v4_cross(s->w, n->slope[0]) + n->slope[1] * r;
    c.dxdd += lb_v4_cross(s->al, n->slope[0]) + lb_v4_cross(s->w, lb_v4_cross(s->w, n->slope[0])) +
              2 * r * lb_v4_cross(s->w, n->slope[1]) + n->slope[2] * (r * r) +
              n->slope[1] * d->qdd[k];
  }
  return c;
}

static lb_node_change node_by_qd(const lb_path_changes* d, int i, int k) {
  const lb_path_node* n = &d->P->p.node[i];
  const lb_motions* m = &d->node[i];
  lb_node_change c = {lb_v4_zero(), lb_v4_zero(), m->S[k].v,
                      m->sig[k].v + 2 * lb_v4_cross(m->S[k].w, n->at.velocity)};
  if (n->item->v == k) {
    const lb_state* s = &d->w->state[n->item->at.link];
    c.dxd += n->slope[0];
    c.dxdd += 2 * lb_v4_cross(s->w, n->slope[0]) + 2 * d->qd[k] * n->slope[1];
  }
  return c;
}

static lb_frame_change frame_by_q(const lb_path_changes* d, int s, int k) {
  if (!lb_change_has_frame(d, s)) {
    return (lb_frame_change){0};
  }
  const lb_path_frame* f = &d->P->span[s].frame;
  const lb_motions* m = &d->frame[s];
  const lb_v4 theta = m->S[k].w;
  return (lb_frame_change){
      theta,
      m->S[k].v,
      m->psi[k].v + lb_v4_cross(theta, f->v),
      m->chi[k].v + 2 * lb_v4_cross(m->psi[k].w, f->v) + lb_v4_cross(theta, f->a),
      m->psi[k].w + lb_v4_cross(theta, f->w),
      m->chi[k].w + lb_v4_cross(m->psi[k].w, f->w) + lb_v4_cross(theta, f->al)};
}

static lb_frame_change frame_by_qd(const lb_path_changes* d, int s, int k) {
  if (!lb_change_has_frame(d, s)) {
    return (lb_frame_change){0};
  }
  const lb_path_frame* f = &d->P->span[s].frame;
  const lb_motions* m = &d->frame[s];
  return (lb_frame_change){lb_v4_zero(), lb_v4_zero(),
                           m->S[k].v,    m->sig[k].v + 2 * lb_v4_cross(m->S[k].w, f->v),
                           m->S[k].w,    m->sig[k].w + lb_v4_cross(m->S[k].w, f->w)};
}

// --- dependent nodes ---

// Changes of what a group follows from, with rates.
void lb_change_places(const lb_path_changes* d, const lb_path_group* g, int k, bool velocity,
                      double (*dz)[LB_GROUP_NUMBERS]) {
  for (int i = 0; i < g->of.nplace; i++) {
    const lb_node_change c =
        velocity ? node_by_qd(d, g->place[i], k) : node_by_q(d, g->place[i], k);
    lb_v4_store(dz[0] + 3 * i, c.dx);
    lb_v4_store(dz[1] + 3 * i, c.dxd);
    lb_v4_store(dz[2] + 3 * i, c.dxdd);
  }
  for (int i = 0; i < g->of.ncoordinate; i++) {
    for (int n = 0; n < 3; n++) {
      dz[n][3 * g->of.nplace + i] = n == (velocity ? 1 : 0) && g->v[i] == k;
    }
  }
}

// Motions of dependent nodes, as those of points of a link that does not turn.
static void move_dependent(const lb_path_changes* d) {
  const lb_path* p = &d->P->p;
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    for (int at = 0; at < p->of->nv; at++) {
      const int k = p->of->v[at];
      double dz[2][3][LB_GROUP_NUMBERS];
      lb_change_places(d, g, k, false, dz[0]);
      lb_change_places(d, g, k, true, dz[1]);
      for (int i = 0; i < g->of.n; i++) {
        const lb_motions* m = &d->node[g->first + i];
        lb_v4 by_q[3], by_qd[3];
        lb_path_change(p, g, i, 2, (const double(*)[LB_GROUP_NUMBERS])dz[0], by_q);
        lb_path_change(p, g, i, 2, (const double(*)[LB_GROUP_NUMBERS])dz[1], by_qd);
        m->S[k] = (lb_motion){lb_v4_zero(), by_q[0]};
        m->psi[k] = (lb_motion){lb_v4_zero(), by_q[1]};
        m->chi[k] = (lb_motion){lb_v4_zero(), by_q[2]};
        m->sig[k] = (lb_motion){lb_v4_zero(), by_qd[2]};
      }
    }
  }
}

// --- spans ---

// Changes of an end in a frame that moves.
static void change_end(const lb_path_frame* f, const lb_frame_change* df, const lb_path_node* n,
                       const lb_node_change* dn, double* y, double* yd, double* ydd) {
  const lb_v4 r = n->at.at - f->o, dr = dn->dx - df->dx, wr = lb_v4_cross(f->w, r);
  const lb_v4 u = n->at.velocity - f->v - wr;
  const lb_v4 dwr = lb_v4_cross(df->dw, r) + lb_v4_cross(f->w, dr);
  const lb_v4 du = dn->dxd - df->dxd - dwr;
  const lb_v4 a = n->acceleration - f->a - lb_v4_cross(f->al, r) - lb_v4_cross(f->w, wr) -
                  2 * lb_v4_cross(f->w, u);
  const lb_v4 da = dn->dxdd - df->dxdd - lb_v4_cross(df->dal, r) - lb_v4_cross(f->al, dr) -
                   lb_v4_cross(df->dw, wr) - lb_v4_cross(f->w, dwr) -
                   2 * (lb_v4_cross(df->dw, u) + lb_v4_cross(f->w, du));
  lb_v4_store(y, lb_m3_apply_transposed(f->R, dr - lb_v4_cross(df->theta, r)));
  lb_v4_store(yd, lb_m3_apply_transposed(f->R, du - lb_v4_cross(df->theta, u)));
  lb_v4_store(ydd, lb_m3_apply_transposed(f->R, da - lb_v4_cross(df->theta, a)));
}

static lb_belly_change change_belly(const lb_path_changes* d, int k, bool velocity,
                                    const double whole[3]) {
  const lb_model_path* of = d->P->p.of;
  lb_belly_change c;
  for (int n = 0; n < 3; n++) {
    c.begin[n] = of->mass.B0 * whole[n];
    c.size[n] = of->mass.B1 * whole[n];
  }
  for (int i = 0; i < of->ntendon; i++) {
    if (of->tendon[i].v == k) {
      c.begin[velocity] += of->tendon[i].C0;
      c.size[velocity] += of->tendon[i].C1;
    }
  }
  return c;
}

lb_belly_change lb_change_spans(const lb_path_changes* d, int k, bool velocity,
                                lb_span_change* out) {
  const lb_mass_path* P = d->P;
  double whole[3] = {0};
  for (int s = 0; s + 1 < P->p.count; s++) {
    lb_span_change* c = &out[s];
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    c->frame = velocity ? frame_by_qd(d, s, k) : frame_by_q(d, s, k);
    memcpy(c->c, whole, sizeof c->c);
    memset(c->l, 0, sizeof c->l);
    for (int e = 0; e < 2; e++) {
      c->node[e] = velocity ? node_by_qd(d, s + e, k) : node_by_q(d, s + e, k);
      change_end(&P->span[s].frame, &c->frame, &P->p.node[s + e], &c->node[e], c->y[0] + 3 * e,
                 c->y[1] + 3 * e, c->y[2] + 3 * e);
    }
    for (int i = 0; i < LB_CHANGE_ENDS; i++) {
      const int at = LB_TAYLOR_P + i;
      c->l[0] += lb_taylor_lane(l, 0, at) * c->y[0][i];
      c->l[1] += lb_taylor_lane(l, 1, at) * c->y[0][i] + lb_taylor_lane(l, 0, at) * c->y[1][i];
      c->l[2] += 2 * lb_taylor_lane(l, 2, at) * c->y[0][i] +
                 2 * lb_taylor_lane(l, 1, at) * c->y[1][i] + lb_taylor_lane(l, 0, at) * c->y[2][i];
    }
    for (int n = 0; n < 3; n++) {
      whole[n] += c->l[n];
    }
  }
  return change_belly(d, k, velocity, whole);
}

// Change of k at an arc length: dsigma = size dk + dbegin + k dsize.
double lb_change_material(const lb_path_changes* d, double k, double dsigma,
                          const lb_belly_change* b) {
  return (dsigma - b->begin[0] - k * b->size[0]) / d->P->size[0];
}

// Change of the bound of piece j of a span.
double lb_change_bound(const lb_path_changes* d, const lb_span_change* c, int span, int j, bool end,
                       const lb_belly_change* b) {
  const int before = end ? j : j - 1;
  double k, dsigma = c->c[0];
  if (!lb_mass_path_bound(d->P, span, j, end, &k)) {
    return 0;
  }
  for (int i = 0; i < LB_CHANGE_ENDS && before >= 0; i++) {
    dsigma +=
        lb_taylor_lane(&d->P->span[span].path->piece[before].end, 0, LB_TAYLOR_P + i) * c->y[0][i];
  }
  return lb_change_material(d, k, dsigma, b);
}

void lb_change_begin(lb_path_changes* d) {
  const lb_path* p = &d->P->p;
  int taken = 0;
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    d->node[i] = take(d->D, taken++, p->node[i].at.index, p->node[i].at.arm);
  }
  for (int s = 0; s + 1 < p->count; s++) {
    if (lb_change_has_frame(d, s)) {
      d->frame[s] = take(d->D, taken++, d->P->span[s].frame.link, d->P->span[s].frame.arm);
    }
  }
  move_dependent(d);
}
