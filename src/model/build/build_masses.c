// Mass properties of the bodies: what their shapes weigh, corrected by what the author gave.
#include "elastic/reduced/reduced.h"
#include "model/build/build.h"

// Add the mass of each shape to its body.
static void add_shapes(lb_mass* mass, const lb_scene* s) {
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    if (shape->body >= 0 && !shape->massless) {
      const double density = s->material[shape->material].density;
      const lb_mass own = lb_shape_mass(&shape->shape, density);
      mass[shape->body] = lb_mass_add(mass[shape->body], lb_mass_transform(shape->pose, own));
    }
  }
}

// Mass of an undeformed elastic body; E0 holds the second moments about its origin.
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

// What the author gave instead of `mass`.
static lb_mass corrected(const lb_scene_body* said, lb_mass mass) {
  if (said->has_mass) {
    mass.inertia = scaled(mass.mass > 0 ? said->mass.mass / mass.mass : 0, mass.inertia);
    mass.mass = said->mass.mass;
  }
  if (said->has_com) {
    mass.com = said->mass.com;
  }
  if (said->has_inertia) {
    mass.inertia = said->mass.inertia;
  }
  return mass;
}

lb_status lb_build_masses(lb_build* b) {
  lb_mass* mass = b->m->body.mass;
  add_shapes(mass, b->scene);
  for (int i = 0; i < b->scene->nbody; i++) {
    mass[i] = corrected(&b->scene->body[i], b->reduced[i] ? reduced_mass(b->reduced[i]) : mass[i]);
  }
  return LB_OK;
}
