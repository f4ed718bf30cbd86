// The table of materials.
#include "elastic/fem/material.h"

#include <string.h>

static const lb_material_functions* const laws[LB_MATERIAL_MODEL_COUNT] = {
    [LB_MATERIAL_NEO_HOOKEAN] = &lb_neo_hookean,
    [LB_MATERIAL_ST_VENANT] = &lb_st_venant,
    [LB_MATERIAL_COROTATED] = &lb_corotated,
    [LB_MATERIAL_LINEAR] = &lb_linear,
};

lb_material lb_material_default(void) {
  return (lb_material){LB_MATERIAL_NEO_HOOKEAN, 210e9, 0.3, 7850, 0, 0};
}

const char* lb_material_name(lb_material_model law) {
  return laws[law]->name;
}

lb_material_model lb_material_named(const char* name) {
  int law = 0;
  while (law < LB_MATERIAL_MODEL_COUNT && strcmp(laws[law]->name, name) != 0) {
    law++;
  }
  return (lb_material_model)law;
}

lb_status lb_material_check(const lb_material* material, const char* name, lb_place place,
                            lb_error* err) {
  static const char* const text[] = {
      "Young's modulus must be positive", "Poisson's ratio must lie between -1 and 0.5",
      "the density must be positive", "the material model ('law') is not known",
      "the damping must be 0 or more"};
  const double nu = material->poisson;
  const bool good[] = {material->young > 0 && isfinite(material->young),
                       nu > -1 && nu<0.5, material->density> 0 && isfinite(material->density),
                       (unsigned)material->law < LB_MATERIAL_MODEL_COUNT,
                       material->alpha >= 0 && material->beta >= 0 &&
                           isfinite(material->alpha + material->beta)};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    if (!good[i]) {
      status = lb_error_add(err, LB_INVALID, place, "material '%s': %s", name, text[i]);
    }
  }
  return status;
}

const lb_material_functions* lb_material_functions_of(lb_material_model law) {
  return laws[law];
}

lb_material_constants lb_material_constants_of(const lb_material* material) {
  const double E = material->young, nu = material->poisson;
  return laws[material->law]->constants(E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu)));
}

void lb_material_tangent(const lb_material_functions* law, const lb_material_constants* c,
                         lb_lanes A[81], const lb_lanes F[9]) {
  for (int j = 0; j < 9; j++) {
    lb_lanes dF[9] = {0};
    dF[j] = lb_lanes_set(1);
    law->differential(c, &A[9 * j], F, dF);
  }
}

void lb_material_tangent_along(const lb_material_functions* law, const lb_material_constants* c,
                               lb_lanes A[81], const lb_lanes F[9], const lb_lanes dF[9]) {
  if (law->tangent_along) {
    law->tangent_along(c, A, F, dF);
    return;
  }
  for (int j = 0; j < 9; j++) {
    lb_lanes unit[9] = {0};
    unit[j] = lb_lanes_set(1);
    law->second(c, &A[9 * j], F, dF, unit);
  }
}

lb_material_constants lb_material_constants_scaled(lb_material_constants c, double factor) {
  c.mu *= factor;
  c.la *= factor;
  c.rest *= factor; // al does not change with both moduli
  return c;
}
