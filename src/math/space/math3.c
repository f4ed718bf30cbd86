// Rotations and rigid transforms: what is too long to be inline in limber/math.h.
#include "limber/math.h"

// Squared lengths outside this range have lost digits, so the vector is scaled before it is used.
static const double SMALLEST_SQUARE = 1e-280;
static const double LARGEST_SQUARE = 1e280;

lb_sym3 lb_sym3_rotate(lb_mat3 R, lb_sym3 A) {
  const lb_mat3 columns = {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}};
  const lb_mat3 B = lb_mat3_transpose(lb_mat3_mul(R, columns)); // rows of R A
  const lb_mat3 Q = lb_mat3_transpose(R);                       // rows of R
  return (lb_sym3){.xx = lb_vec3_dot(B.x, Q.x),
                   .yy = lb_vec3_dot(B.y, Q.y),
                   .zz = lb_vec3_dot(B.z, Q.z),
                   .xy = lb_vec3_dot(B.x, Q.y),
                   .xz = lb_vec3_dot(B.x, Q.z),
                   .yz = lb_vec3_dot(B.y, Q.z)};
}

static double square(lb_quat a) {
  return a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
}

static lb_quat scaled(double s, lb_quat a) {
  return (lb_quat){s * a.w, s * a.x, s * a.y, s * a.z};
}

lb_quat lb_quat_normalise(lb_quat a) {
  double n2 = square(a);
  if (n2 < SMALLEST_SQUARE || n2 > LARGEST_SQUARE) {
    const double most = fmax(fmax(fabs(a.w), fabs(a.x)), fmax(fabs(a.y), fabs(a.z)));
    if (most == 0) {
      return lb_quat_identity();
    }
    a = (lb_quat){a.w / most, a.x / most, a.y / most, a.z / most};
    n2 = square(a);
  }
  return scaled(1 / sqrt(n2), a);
}

lb_mat3 lb_quat_matrix(lb_quat a) {
  const double n2 = square(a);
  if (n2 < SMALLEST_SQUARE || n2 > LARGEST_SQUARE) {
    return lb_quat_matrix(lb_quat_normalise(a));
  }
  const double s = 2 / n2;
  const double wx = s * a.w * a.x, wy = s * a.w * a.y, wz = s * a.w * a.z;
  const double xx = s * a.x * a.x, yy = s * a.y * a.y, zz = s * a.z * a.z;
  const double xy = s * a.x * a.y, xz = s * a.x * a.z, yz = s * a.y * a.z;
  return (lb_mat3){{1 - yy - zz, xy + wz, xz - wy},
                   {xy - wz, 1 - xx - zz, yz + wx},
                   {xz + wy, yz - wx, 1 - xx - yy}};
}

// Each of the four forms divides by one component; taking the largest keeps all digits.
lb_quat lb_quat_from_matrix(lb_mat3 R) {
  const double w = R.x.x + R.y.y + R.z.z;
  const double x = R.x.x - R.y.y - R.z.z;
  const double y = R.y.y - R.x.x - R.z.z;
  const double z = R.z.z - R.x.x - R.y.y;
  lb_quat a;
  if (w >= x && w >= y && w >= z) {
    a = (lb_quat){1 + w, R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
  } else if (x >= y && x >= z) {
    a = (lb_quat){R.y.z - R.z.y, 1 + x, R.x.y + R.y.x, R.x.z + R.z.x};
  } else if (y >= z) {
    a = (lb_quat){R.z.x - R.x.z, R.x.y + R.y.x, 1 + y, R.y.z + R.z.y};
  } else {
    a = (lb_quat){R.x.y - R.y.x, R.x.z + R.z.x, R.y.z + R.z.y, 1 + z};
  }
  return lb_quat_normalise(a.w < 0 ? scaled(-1, a) : a);
}

// v + 2 w (u x v) + 2 u x (u x v)
lb_vec3 lb_quat_rotate(lb_quat a, lb_vec3 v) {
  const lb_vec3 u = {a.x, a.y, a.z};
  const lb_vec3 t = lb_vec3_scale(2, lb_vec3_cross(u, v));
  return lb_vec3_add(v, lb_vec3_add(lb_vec3_scale(a.w, t), lb_vec3_cross(u, t)));
}

// sin(t/2)/t keeps all its digits down to the smallest t whose square does not underflow.
lb_quat lb_quat_exp(lb_vec3 v) {
  const double t2 = lb_vec3_dot(v, v);
  if (t2 < SMALLEST_SQUARE) {
    return (lb_quat){1, v.x / 2, v.y / 2, v.z / 2};
  }
  const double t = sqrt(t2);
  const double s = sin(t / 2) / t;
  return (lb_quat){cos(t / 2), s * v.x, s * v.y, s * v.z};
}

lb_vec3 lb_quat_log(lb_quat a) {
  if (a.w < 0) {
    a = scaled(-1, a);
  }
  const lb_vec3 u = {a.x, a.y, a.z};
  const double s2 = lb_vec3_dot(u, u);
  if (s2 < SMALLEST_SQUARE) {
    return lb_vec3_scale(2 / a.w, u);
  }
  const double s = sqrt(s2);
  return lb_vec3_scale(2 * atan2(s, a.w) / s, u);
}

// The half-way quaternion (1 + z . axis, z x axis), with 1 + axis.z = r^2 / (1 - axis.z) below the
// horizon, where the plain sum would cancel.
lb_quat lb_quat_from_z(lb_vec3 axis) {
  if (axis.z >= 0) {
    return lb_quat_normalise((lb_quat){1 + axis.z, -axis.y, axis.x, 0});
  }
  const double r = hypot(axis.x, axis.y);
  if (r == 0) {
    return (lb_quat){0, 1, 0, 0};
  }
  return lb_quat_normalise((lb_quat){r / (1 - axis.z), -axis.y / r, axis.x / r, 0});
}

lb_transform lb_transform_mul(lb_transform X_ab, lb_transform X_bc) {
  return (lb_transform){lb_quat_mul(X_ab.q, X_bc.q), lb_transform_point(X_ab, X_bc.p)};
}

lb_transform lb_transform_inverse(lb_transform X) {
  const lb_quat q = lb_quat_conjugate(X.q);
  return (lb_transform){q, lb_vec3_scale(-1, lb_quat_rotate(q, X.p))};
}

lb_vec3 lb_transform_point(lb_transform X, lb_vec3 p) {
  return lb_vec3_add(X.p, lb_quat_rotate(X.q, p));
}
