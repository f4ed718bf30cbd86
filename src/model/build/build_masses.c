// Mass properties of the bodies: what their shapes weigh, corrected by what the author gave.
#include "elastic/reduced/reduced.h"
#include "model/build/build.h"
#include "model/build/scene_rewrite.h"

// Mass of a body's shapes.
static lb_mass shapes_mass(const lb_scene* s, int body) {
  lb_mass mass = {0};
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    if (shape->body == body && !shape->massless) {
      const double density = s->material[shape->material].density;
      mass =
          lb_mass_add(mass, lb_mass_transform(shape->pose, lb_shape_mass(&shape->shape, density)));
    }
  }
  return mass;
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

lb_mass lb_scene_body_mass(const lb_scene* scene, int body, const lb_reduced* reduced) {
  const lb_scene_body* said = &scene->body[body];
  lb_mass mass = reduced ? reduced_mass(reduced) : shapes_mass(scene, body);
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
  for (int i = 0; i < b->scene->nbody; i++) {
    b->m->body.mass[i] = lb_scene_body_mass(b->scene, i, b->reduced[i]);
  }
  return LB_OK;
}
