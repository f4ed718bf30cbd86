// Mass properties of the bodies: what their shapes weigh, corrected by what the author gave.
#include "model/build.h"

static lb_mass shapes_mass(const lb_scene* s, int body) {
  lb_mass sum = {0};
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* shape = &s->shape[i];
    if (shape->body == body && !shape->massless) {
      const double density = s->material[shape->material].density;
      sum = lb_mass_add(sum, lb_mass_transform(shape->pose, lb_shape_mass(&shape->shape, density)));
    }
  }
  return sum;
}

static lb_sym3 scaled(double s, lb_sym3 A) {
  return (lb_sym3){s * A.xx, s * A.yy, s * A.zz, s * A.xy, s * A.xz, s * A.yz};
}

lb_status lb_build_masses(lb_build* b) {
  for (int i = 0; i < b->scene->nbody; i++) {
    const lb_scene_body* body = &b->scene->body[i];
    lb_mass mass = shapes_mass(b->scene, i);
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
