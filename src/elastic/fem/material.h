// Elastic materials: energy density as a function of the deformation gradient F, and its first
// three derivatives. Eight points at a time (lanes.h); 3 x 3 matrices by columns.
//
// All models agree in small strain with Young's modulus and Poisson's ratio as given.
#pragma once
#include "elastic/fem/lanes.h"
#include "limber/status.h"

typedef enum lb_material_model {
  LB_MATERIAL_NEO_HOOKEAN, ///< stable neo-Hookean: survives inversion; the default
  LB_MATERIAL_ST_VENANT,   ///< St. Venant-Kirchhoff: linear in Green's strain
  LB_MATERIAL_COROTATED,   ///< linear in the stretch
  LB_MATERIAL_LINEAR,      ///< linear in the displacement: small rotations only
  LB_MATERIAL_MODEL_COUNT
} lb_material_model;

/// Material. Start from lb_material_default() and change what differs.
typedef struct lb_material {
  lb_material_model model;
  double young;   ///< [Pa]      > 0
  double poisson; ///< [-]       > -1, < 0.5
  double density; ///< [kg/m^3]  > 0
  double alpha;   ///< Rayleigh damping in proportion to mass [1/s] >= 0
  double beta;    ///< Rayleigh damping in proportion to stiffness [s] >= 0
} lb_material;

/// Steel: 210 GPa, 0.3, 7850 kg/m^3, neo-Hookean, no damping.
lb_material lb_material_default(void);

/// Reject what is out of range; `name` is the material's in the message.
lb_status lb_material_check(const lb_material* material, const char* name, lb_place place,
                            lb_error* err);

/// Name of a material model in scenes, such as "neo-hookean"; and the model of a name, or
/// LB_MATERIAL_MODEL_COUNT.
const char* lb_material_name(lb_material_model model);
lb_material_model lb_material_named(const char* name);

/// Constants of the formulas, made of the above. What they mean depends on the model.
typedef struct lb_material_constants {
  double mu, la;
  double al;   ///< of neo-Hookean: the volume ratio its volume term pulls to
  double rest; ///< of neo-Hookean: energy density at F = 1, taken off
} lb_material_constants;

/// Material model: a table of functions. Each works on LB_LANES points.
typedef struct lb_material_functions {
  const char* name;
  /// Constants from Lame's; NULL: they are these.
  lb_material_constants (*constants)(double mu_lame, double la_lame);
  /// Energy density psi(F) [J/m^3].
  void (*energy)(const lb_material_constants* c, lb_lanes* psi, const lb_lanes F[9]);
  /// First Piola-Kirchhoff stress P = d psi / d F.
  void (*stress)(const lb_material_constants* c, lb_lanes P[9], const lb_lanes F[9]);
  /// dP = (d P / d F) : dF for one direction.
  void (*differential)(const lb_material_constants* c, lb_lanes dP[9], const lb_lanes F[9],
                       const lb_lanes dF[9]);
  /// All of d P / d F, symmetric: A[i + 9 j], entries with i >= j are written. NULL: from
  /// differentials.
  void (*tangent)(const lb_material_constants* c, lb_lanes A[81], const lb_lanes F[9]);
  /// The second derivative of P along two directions.
  void (*second)(const lb_material_constants* c, lb_lanes d2P[9], const lb_lanes F[9],
                 const lb_lanes dF1[9], const lb_lanes dF2[9]);
  /// The derivative of the tangent along one direction, as the tangent is written. NULL: from
  /// second derivatives.
  void (*tangent_along)(const lb_material_constants* c, lb_lanes A[81], const lb_lanes F[9],
                        const lb_lanes dF[9]);
} lb_material_functions;

const lb_material_functions* lb_material_functions_of(lb_material_model model);
lb_material_constants lb_material_constants_of(const lb_material* material);

/// Material of a region, as it is evaluated.
typedef struct lb_region_material {
  const lb_material_functions* model;
  lb_material_constants c;
  double viscous; ///< its share of the body's largest beta
} lb_region_material;
lb_region_material lb_region_material_of(const lb_material* material, double viscous);
/// True where some region has a smaller share than others.
bool lb_region_materials_differ(int n, const lb_region_material* material);

/// Constants of a material `factor` times as stiff, with the same Poisson's ratio.
lb_material_constants lb_material_constants_scaled(lb_material_constants c, double factor);

// Material models, a file each.
extern const lb_material_functions lb_neo_hookean, lb_st_venant, lb_corotated, lb_linear;

/// Tangent of a material model, and its derivative along a direction.
void lb_material_tangent(const lb_material_functions* model, const lb_material_constants* c,
                         lb_lanes A[81], const lb_lanes F[9]);
void lb_material_tangent_along(const lb_material_functions* model, const lb_material_constants* c,
                               lb_lanes A[81], const lb_lanes F[9], const lb_lanes dF[9]);
