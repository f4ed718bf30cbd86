// Mass properties of the bodies: what their shapes weigh, corrected by what the author gave.
#include "model/build.h"

#include "elastic/reduced.h"

// What the shapes weigh, body by body.
static void add_shapes(lb_build* b) {
  const lb_scene* s = b->scene;
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    if (shape->body != LB_WORLD && !shape->massless) {
      lb_mass* mass = &b->m->body_mass[shape->body];
      const double density = s->material[shape->material].density;
      *mass =
          lb_mass_add(*mass, lb_mass_transform(shape->pose, lb_shape_mass(&shape->shape, density)));
    }
  }
}

// At rest; E0 holds the second moments about the body's origin.
static lb_mass reduced_mass(const lb_reduced* r) {
  const lb_vec3 c = lb_vec3_scale(1 / r->m, lb_v4_vec3(r->h0));
  const lb_m3 E = r->E0;
  const double xx = E.x[0] - r->m * c.x * c.x;
  const double yy = E.y[1] - r->m * c.y * c.y;
  const double zz = E.z[2] - r->m * c.z * c.z;
  return (lb_mass){r->m,
                   c,
                   {yy + zz, xx + zz, xx + yy, -(E.y[0] - r->m * c.x * c.y),
                    -(E.z[0] - r->m * c.x * c.z), -(E.z[1] - r->m * c.y * c.z)}};
}

static lb_sym3 scaled(double s, lb_sym3 A) {
  return (lb_sym3){s * A.xx, s * A.yy, s * A.zz, s * A.xy, s * A.xz, s * A.yz};
}

lb_status lb_build_masses(lb_build* b) {
  add_shapes(b);
  for (int i = 0; i < b->scene->nbody; i++) {
    const lb_scene_body* body = &b->scene->body[i];
    lb_mass mass = b->reduced[i] ? reduced_mass(b->reduced[i]) : b->m->body_mass[i];
    if (body->has_mass) {
      mass.inertia = scaled(mass.mass > 0 ? body->mass.mass / mass.mass : 0, mass.inertia);
      mass.mass = body->mass.mass;
    }
    if (body->has_com) {
      mass.com = body->mass.com;
    }
    if (body->has_inertia) {
      mass.inertia = body->mass.inertia;
    }
    b->m->body_mass[i] = mass;
  }
  return LB_OK;
}
