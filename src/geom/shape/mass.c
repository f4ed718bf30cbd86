// Mass properties of bodies made of parts.
#include "limber/geometry.h"

lb_mass lb_mass_transform(lb_transform X_ab, lb_mass b) {
  return (lb_mass){.mass = b.mass,
                   .com = lb_transform_point(X_ab, b.com),
                   .inertia = lb_sym3_rotate(lb_quat_matrix(X_ab.q), b.inertia)};
}

// About the common centre the parallel-axis terms of both parts join into those of the reduced mass
// at their distance: I = Ia + Ib + ma mb / (ma + mb) (d.d - d d'), d = cb - ca.
lb_mass lb_mass_add(lb_mass a, lb_mass b) {
  const double mass = a.mass + b.mass;
  const double share = mass > 0 ? b.mass / mass : 0; // two massless parts keep the first's centre
  const lb_vec3 d = lb_vec3_sub(b.com, a.com);
  const double m = a.mass * share;
  const lb_sym3 I = a.inertia, J = b.inertia;
  return (lb_mass){.mass = mass,
                   .com = lb_vec3_add(a.com, lb_vec3_scale(share, d)),
                   .inertia = {.xx = I.xx + J.xx + m * (d.y * d.y + d.z * d.z),
                               .yy = I.yy + J.yy + m * (d.x * d.x + d.z * d.z),
                               .zz = I.zz + J.zz + m * (d.x * d.x + d.y * d.y),
                               .xy = I.xy + J.xy - m * d.x * d.y,
                               .xz = I.xz + J.xz - m * d.x * d.z,
                               .yz = I.yz + J.yz - m * d.y * d.z}};
}
