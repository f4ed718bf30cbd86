// Masses that change: everything here is linear in mass, first and second moments.
#include "design/optimize/optimization.h"
#include "model/use/link.h"

static lb_bulk scaled(double s, lb_bulk b) {
  b.m *= s;
  b.h *= s;
  b.E = (lb_m3){b.E.x * s, b.E.y * s, b.E.z * s};
  return b;
}

static double trace(lb_m3 A) {
  return A.x[0] + A.y[1] + A.z[2];
}

// tr(A) 1 - A takes second moments to moments of inertia, and back with half the trace.
static lb_m3 complement(lb_m3 A, double t) {
  return (lb_m3){lb_v4_make(t, 0, 0) - A.x, lb_v4_make(0, t, 0) - A.y, lb_v4_make(0, 0, t) - A.z};
}

// About a point r away from the centre of mass.
static lb_bulk bulk_of(lb_mass mass, lb_vec3 origin) {
  const lb_sym3 I = mass.inertia;
  const lb_m3 A = {lb_v4_make(I.xx, I.xy, I.xz), lb_v4_make(I.xy, I.yy, I.yz),
                   lb_v4_make(I.xz, I.yz, I.zz)};
  const lb_v4 c = lb_v4_from(lb_vec3_sub(mass.com, origin));
  lb_bulk b = {mass.mass, c * mass.mass, complement(A, trace(A) / 2)};
  lb_m3_add_outer(&b.E, mass.mass, c, c);
  return b;
}

// y = R x + t
static lb_bulk moved(lb_transform X, lb_bulk b) {
  const lb_m3 R = lb_m3_rotation(X.q);
  const lb_v4 t = lb_v4_from(X.p), h = lb_m3_apply(R, b.h);
  lb_bulk to = {b.m, h + t * b.m, lb_m3_congruence(R, b.E)};
  lb_m3_add_outer(&to.E, 1, h, t);
  lb_m3_add_outer(&to.E, 1, t, h);
  lb_m3_add_outer(&to.E, b.m, t, t);
  return to;
}

lb_growth lb_growth_make(const lb_model* m, int body, int part, lb_vec3 x0, lb_vec3 along) {
  const lb_transform X = m->body.in_link[part];
  return (lb_growth){.body = body,
                     .part = part,
                     .parts = 1,
                     .link = m->body.link[part],
                     .x0 = x0,
                     .along = along,
                     .centre = m->body.mass[part].com,
                     .base = bulk_of(m->body.mass[part], x0),
                     .in_link = {X.q, lb_transform_point(X, x0)},
                     .drag = -1,
                     .density = 1,
                     .length = 1};
}

static lb_m3 stretch(const lb_growth* g) {
  const lb_v4 u = lb_v4_from(g->along);
  lb_m3 A = lb_m3_identity();
  lb_m3_add_outer(&A, g->length - 1, u, u);
  return A;
}

// Bulk of density one.
static lb_bulk stretched(const lb_growth* g) {
  const lb_m3 A = stretch(g);
  return scaled(g->length,
                (lb_bulk){g->base.m, lb_m3_apply(A, g->base.h), lb_m3_congruence(A, g->base.E)});
}

lb_bulk lb_growth_bulk(const lb_growth* g) {
  return moved(g->in_link, scaled(g->density, stretched(g)));
}

lb_bulk lb_growth_by_density(const lb_growth* g) {
  return moved(g->in_link, stretched(g));
}

// d/df f (m, A h, A E A) = (m, A h, A E A) + f (0, u u'h, u u'E A + A E u u')
lb_bulk lb_growth_by_length(const lb_growth* g) {
  const lb_m3 A = stretch(g);
  const lb_v4 u = lb_v4_from(g->along), w = lb_m3_apply(A, lb_m3_apply(g->base.E, u));
  lb_bulk b = scaled(1 / g->length, stretched(g));
  b.h += u * (g->length * lb_v4_dot(u, g->base.h));
  lb_m3_add_outer(&b.E, g->length, u, w);
  lb_m3_add_outer(&b.E, g->length, w, u);
  return moved(g->in_link, scaled(g->density, b));
}

lb_mass lb_growth_mass(const lb_growth* g) {
  const lb_bulk b =
      moved((lb_transform){lb_quat_identity(), g->x0}, scaled(g->parts * g->density, stretched(g)));
  const lb_v4 c = b.h / b.m;
  lb_m3 E = b.E;
  lb_m3_add_outer(&E, -b.m, c, c);
  const lb_m3 I = complement(E, trace(E));
  return (lb_mass){b.m, lb_v4_vec3(c), {I.x[0], I.y[1], I.z[2], I.x[1], I.x[2], I.y[2]}};
}

// x0 + A (c - x0), which is x0 + c0 + (f - 1) u (u.c0), of which in_link has x0's place.
lb_vec3 lb_growth_centre(const lb_growth* g) {
  const lb_vec3 c = lb_vec3_sub(g->centre, g->x0);
  const double reach = lb_vec3_dot(g->along, c);
  return lb_transform_point(g->in_link,
                            lb_vec3_add(c, lb_vec3_scale((g->length - 1) * reach, g->along)));
}

lb_vec3 lb_growth_centre_by_length(const lb_growth* g) {
  const double reach = lb_vec3_dot(g->along, lb_vec3_sub(g->centre, g->x0));
  return lb_quat_rotate(g->in_link.q, lb_vec3_scale(reach, g->along));
}

void lb_link_add_bulk(lb_link* link, double s, const lb_bulk* b) {
  link->m += s * b->m;
  link->h += b->h * s;
  lb_m3_add_scaled(&link->I0, s, complement(b->E, trace(b->E)));
}

// (1) and (2) of dynamics/tree/state.h
double lb_bulk_power(const lb_bulk* b, const lb_state* s, lb_motion by) {
  const lb_m3 I = lb_m3_congruence(s->R, complement(b->E, trace(b->E)));
  const lb_v4 h = lb_m3_apply(s->R, b->h), w = s->w;
  const lb_v4 n = lb_m3_apply(I, s->al) + lb_v4_cross(h, s->a) + lb_v4_cross(w, lb_m3_apply(I, w));
  const lb_v4 f = s->a * b->m + lb_v4_cross(s->al, h) + lb_v4_cross(w, lb_v4_cross(w, h));
  return lb_v4_dot(n, by.w) + lb_v4_dot(f, by.v);
}
