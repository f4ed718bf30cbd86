// The table of materials.
#include "elastic/fem/material.h"

#include <string.h>

static const lb_material_functions* const models[LB_MATERIAL_MODEL_COUNT] = {
    [LB_MATERIAL_NEO_HOOKEAN] = &lb_neo_hookean,
    [LB_MATERIAL_ST_VENANT] = &lb_st_venant,
    [LB_MATERIAL_COROTATED] = &lb_corotated,
    [LB_MATERIAL_LINEAR] = &lb_linear,
};

lb_material lb_material_default(void) {
  return (lb_material){LB_MATERIAL_NEO_HOOKEAN, 210e9, 0.3, 7850, 0, 0};
}

const char* lb_material_name(lb_material_model model) {
  return models[model]->name;
}

lb_material_model lb_material_named(const char* name) {
  int model = 0;
  while (model < LB_MATERIAL_MODEL_COUNT && strcmp(models[model]->name, name) != 0) {
    model++;
  }
  return (lb_material_model)model;
}

lb_status lb_material_check(const lb_material* material, const char* name, lb_place place,
                            lb_error* err) {
  static const char* const text[] = {
      "Young's modulus must be positive", "Poisson's ratio must lie between -1 and 0.5",
      "the density must be positive", "the material model ('model') is not known",
      "the damping must be 0 or more"};
  const double nu = material->poisson;
  const bool good[] = {material->young > 0 && isfinite(material->young),
                       nu > -1 && nu<0.5, material->density> 0 && isfinite(material->density),
                       (unsigned)material->model < LB_MATERIAL_MODEL_COUNT,
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

const lb_material_functions* lb_material_functions_of(lb_material_model model) {
  return models[model];
}

lb_material_constants lb_material_constants_of(const lb_material* material) {
  const double E = material->young, nu = material->poisson;
  const double mu = E / (2 * (1 + nu)), la = E * nu / ((1 + nu) * (1 - 2 * nu));
  const lb_material_functions* model = models[material->model];
  return model->constants ? model->constants(mu, la) : (lb_material_constants){mu, la, 0, 0};
}

void lb_material_tangent(const lb_material_functions* model, const lb_material_constants* c,
                         lb_lanes A[81], const lb_lanes F[9]) {
  if (model->tangent) {
    model->tangent(c, A, F);
    return;
  }
  for (int j = 0; j < 9; j++) {
    lb_lanes dF[9] = {0};
    dF[j] = lb_lanes_set(1);
    model->differential(c, &A[9 * j], F, dF);
  }
}

void lb_material_tangent_along(const lb_material_functions* model, const lb_material_constants* c,
                               lb_lanes A[81], const lb_lanes F[9], const lb_lanes dF[9]) {
  if (model->tangent_along) {
    model->tangent_along(c, A, F, dF);
    return;
  }
  for (int j = 0; j < 9; j++) {
    lb_lanes unit[9] = {0};
    unit[j] = lb_lanes_set(1);
    model->second(c, &A[9 * j], F, dF, unit);
  }
}

lb_region_material lb_region_material_of(const lb_material* material, double viscous) {
  return (lb_region_material){models[material->model], lb_material_constants_of(material), viscous};
}

bool lb_region_materials_differ(int n, const lb_region_material* material) {
  bool differ = false;
  for (int i = 0; i < n; i++) {
    differ = differ || material[i].viscous != 1;
  }
  return differ;
}

lb_material_constants lb_material_constants_scaled(lb_material_constants c, double factor) {
  c.mu *= factor;
  c.la *= factor;
  c.rest *= factor; // al does not change with both moduli
  return c;
}
