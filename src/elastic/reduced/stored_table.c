#include "elastic/reduced/stored_table.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(lb_stored, member)
#define ONE(name, word, type, about)                                                               \
  { name, type, AT(word), 0, {0}, "()", about }
#define ROW(name, word, type, a, about)                                                            \
  { name, type, AT(word), 1, {AT(a)}, "(" #a ",)", about }
#define GRID(name, word, type, a, b, shape, about)                                                 \
  { name, type, AT(word), 2, {AT(a), AT(b)}, shape, about }
#define CUBE(name, word, type, a, b, c, shape, about)                                              \
  { name, type, AT(word), 3, {AT(a), AT(b), AT(c)}, shape, about }
#define HYPER(name, word, type, a, b, c, d, shape, about)                                          \
  { name, type, AT(word), 4, {AT(a), AT(b), AT(c), AT(d)}, shape, about }

// Sizes are found in the order of the table: an array that is the first to have one says how long
// it is.
const lb_stored_field lb_stored_fields[] = {
    ONE("format", format, LB_NPZ_INT, "version of this list"),
    ONE("readme", readme, LB_NPZ_TEXT, "this text"),
    ROW("body", body, LB_NPZ_TEXT, nbody, "names of the bodies it was made for"),
    ONE("form", form, LB_NPZ_TEXT, "rod, box, tube, or mesh for one from a file"),
    ROW("form_numbers", form_numbers, LB_NPZ_NUMBER, dimensions,
        "from, to, up (3 numbers each), width, height, radius, inner radius [m]"),
    ROW("until", until, LB_NPZ_NUMBER, nuntil,
        "where its parts end, from the start [m]; each is a region"),
    GRID("node", mesh.node, LB_NPZ_NUMBER, nnode, three, "(nnode, 3)",
         "reference positions of nodes [m]"),
    GRID("element", mesh.element, LB_NPZ_INT, nelem, elem_nodes, "(nelem, 4 or 10)",
         "nodes of the tetrahedra: corners, then middles of the edges 01 12 02 03 23 13"),
    ROW("element_region", mesh.region, LB_NPZ_INT, nelem, "region, which says the material"),
    ROW("model", material.model, LB_NPZ_TEXT, nregion, "material model of each region"),
    ROW("young", material.young, LB_NPZ_NUMBER, nregion, "Young's modulus [Pa]"),
    ROW("poisson", material.poisson, LB_NPZ_NUMBER, nregion, "Poisson's ratio"),
    ROW("density", material.density, LB_NPZ_NUMBER, nregion, "[kg/m^3]"),
    ROW("damping", material.damping, LB_NPZ_NUMBER, two,
        "Rayleigh's alpha [1/s] and beta [s], the largest of all regions"),
    GRID("damping_share", material.share, LB_NPZ_NUMBER, nregion, two, "(nregion, 2)",
         "what each region has of them"),
    ROW("omega", omega, LB_NPZ_NUMBER, r, "circular frequency of each shape at eta = 0 [rad/s]"),
    CUBE("Phi", Phi, LB_NPZ_NUMBER, r, nnode, three, "(r, nnode, 3)",
         "shapes: displacement of each node"),
    ONE("mass", inertia.mass, LB_NPZ_NUMBER, "m [kg]"),
    ROW("h0", inertia.h0, LB_NPZ_NUMBER, three, "int rho X"),
    GRID("E0", inertia.E0, LB_NPZ_NUMBER, three, three, "(3, 3)", "int rho X X'"),
    GRID("H", inertia.H, LB_NPZ_NUMBER, r, three, "(r, 3)", "int rho Phi_k"),
    CUBE("B0", inertia.B0, LB_NPZ_NUMBER, r, three, three, "(r, 3, 3)", "int rho Phi_k X'"),
    HYPER("B1", inertia.B1, LB_NPZ_NUMBER, r, r, three, three, "(r, r, 3, 3)",
          "int rho Phi_k Phi_l'"),
    GRID("M", inertia.M, LB_NPZ_NUMBER, r, r, "(r, r)", "int rho Phi_k . Phi_l"),
    GRID("C", inertia.C, LB_NPZ_NUMBER, r, r, "(r, r)",
         "the same with each region's share of alpha"),
    ROW("face_name", face.name, LB_NPZ_TEXT, nface,
        "faces: the one that the frame is fixed to comes first"),
    ROW("face_first", face.first, LB_NPZ_INT, nfirst,
        "nodes of face i are face_node[face_first[i]:face_first[i+1]]"),
    ROW("face_node", face.node, LB_NPZ_INT, nface_node, ""),
    ROW("face_weight", face.weight, LB_NPZ_NUMBER, nface_node,
        "area that each of these nodes stands for [m^2]"),
    GRID("face_x0", face.x0, LB_NPZ_NUMBER, ncarry, three, "(nface - 1, 3)",
         "reference middle of each other face [m]"),
    CUBE("face_A0", face.A0, LB_NPZ_NUMBER, ncarry, three, three, "(nface - 1, 3, 3)",
         "mean of D D', D from the middle"),
    CUBE("face_W", face.W, LB_NPZ_NUMBER, ncarry, r, three, "(nface - 1, r, 3)",
         "how its middle moves: mean of Phi_k"),
    HYPER("face_A", face.A, LB_NPZ_NUMBER, ncarry, r, three, three, "(nface - 1, r, 3, 3)",
          "mean of Phi_k D'"),
    GRID("point_x", point.x, LB_NPZ_NUMBER, npoint, three, "(npoint, 3)",
         "cubature: reference positions of points [m]"),
    ROW("point_weight", point.weight, LB_NPZ_NUMBER, npoint, "weight of each point [m^3]"),
    HYPER("point_G", point.G, LB_NPZ_NUMBER, npoint, r, three, three, "(npoint, r, 3, 3)",
          "dPhi_k / dX there"),
    ROW("point_region", point.region, LB_NPZ_INT, npoint, "its region"),
    ROW("point_element", point.element, LB_NPZ_INT, npoint, "the element it is in"),
    ROW("eta_mean", range.eta_mean, LB_NPZ_NUMBER, r, "mean of each coordinate over the training"),
    ROW("eta_most", range.eta_most, LB_NPZ_NUMBER, r, "largest |eta_k| of the training"),
    ROW("eta_limit", range.eta_limit, LB_NPZ_NUMBER, r,
        "range of use: |eta_k| up to here is as trained"),
    GRID("load_limit", range.load_limit, LB_NPZ_NUMBER, nface, six, "(nface, 6)",
         "range of the accelerations, linear less gravity and angular, in the body's axes, of the "
         "body's frame and of what each other face carries"),
    ONE("load_every", range.load_every, LB_NPZ_NUMBER,
        "time between the frames that these come from [s]"),
    ROW("figure_name", figure_name, LB_NPZ_TEXT, nfigure, "how the figures below are called"),
    ROW("figure", figure, LB_NPZ_NUMBER, nfigure,
        "accuracy against the full model, and how it was made"),
    GRID("check_eta", check.eta, LB_NPZ_NUMBER, ncheck, r, "(ncheck, r)",
         "to check a reader: a state,"),
    GRID("check_etad", check.etad, LB_NPZ_NUMBER, ncheck, r, "(ncheck, r)", "its rate,"),
    GRID("check_v", check.v, LB_NPZ_NUMBER, ncheck, three, "(ncheck, 3)",
         "velocity of the frame in its own axes,"),
    GRID("check_w", check.w, LB_NPZ_NUMBER, ncheck, three, "(ncheck, 3)", "its angular velocity,"),
    GRID("check_force", check.force, LB_NPZ_NUMBER, ncheck, r, "(ncheck, r)",
         "and what belongs to it: f,"),
    ROW("check_energy", check.energy, LB_NPZ_NUMBER, ncheck, "V [J],"),
    ROW("check_kinetic", check.kinetic, LB_NPZ_NUMBER, ncheck, "and the kinetic energy T [J]"),
};
const int lb_stored_nfield = sizeof lb_stored_fields / sizeof *lb_stored_fields;

size_t lb_stored_count(const lb_stored* s, const lb_stored_field* f) {
  size_t n = 1;
  for (int k = 0; k < f->ndim; k++) {
    n *= (size_t) * (const int*)((const char*)s + f->size[k]);
  }
  return n;
}

lb_stored lb_stored_begin(void) {
  return (lb_stored){.three = 3, .two = 2, .six = 6, .dimensions = LB_STORED_DIMENSIONS};
}

lb_status lb_stored_take(lb_stored* s, lb_arena* arena) {
  static const size_t size[] = {
      [LB_NPZ_NUMBER] = sizeof(double), [LB_NPZ_INT] = sizeof(int), [LB_NPZ_TEXT] = sizeof(char*)};
  for (int i = 0; i < lb_stored_nfield; i++) {
    const lb_stored_field* f = &lb_stored_fields[i];
    *lb_stored_data(s, f) =
        lb_arena_take_array(arena, lb_stored_count(s, f), size[f->type], LB_ALIGN);
  }
  return lb_arena_status(arena);
}

static const char INTRODUCTION[] =
    "A reduced elastic body, made by Limber. Units are m, kg, s, N, Pa, rad; arrays are by rows.\n"
    "\n"
    "A point at X in the body's frame is at x = X + sum_k eta_k Phi_k(X). The frame is fixed to "
    "the\n"
    "face face_name[0], which the shapes Phi_k do not move on average, so that no rigid shapes "
    "are\n"
    "needed: the frame carries the body. With Fp = 1 + sum_k eta_k point_G[p, k] and psi the "
    "energy\n"
    "density of the material,\n"
    "  V   = sum_p point_weight[p] psi(Fp)                elastic energy\n"
    "  f_k = sum_p point_weight[p] P(Fp) : point_G[p, k]  its derivative, P = dpsi/dF\n"
    "Inertia, with B_k = B0_k + sum_l eta_l B1_kl and axial(A) = (A21-A12, A02-A20, A10-A01):\n"
    "  h = h0 + sum eta_k H_k,  E = E0 + sum eta_k (B0_k' + B_k),  I = tr(E) 1 - E,  C_k = "
    "axial(B_k)\n"
    "  T = m v.v/2 + v.(w x h + hd) + w.I w/2 + w.sum etad_k C_k + etad.M etad/2,  hd = sum etad_k "
    "H_k\n"
    "Damping forces are alpha C etad + beta K etad, K = df/deta with the regions' shares of beta.\n"
    "A face that carries something has its middle at x0 + sum eta_k W_k and is turned by the "
    "rotation\n"
    "of the polar decomposition of A0 + sum eta_k A_k.\n"
    "The neo-hookean model is psi = mu/2 (Ic - 3) + la/2 (J - al)^2 - mu/2 log(Ic + 1) less its "
    "value at\n"
    "F = 1, with mu = 4/3 mu_L, la = la_L + 5/6 mu_L, al = 1 + 3 mu / (4 la) and Lame's mu_L, "
    "la_L.\n"
    "\n";

const char* lb_stored_readme(lb_arena* arena) {
  size_t size = sizeof INTRODUCTION;
  for (int i = 0; i < lb_stored_nfield; i++) {
    size += strlen(lb_stored_fields[i].name) + strlen(lb_stored_fields[i].shape) +
            strlen(lb_stored_fields[i].about) + 48;
  }
  char* text = LB_TAKE(arena, char, size);
  size_t used = text ? (size_t)snprintf(text, size, "%s", INTRODUCTION) : 0;
  for (int i = 0; text && i < lb_stored_nfield; i++) {
    const lb_stored_field* f = &lb_stored_fields[i];
    used +=
        (size_t)snprintf(text + used, size - used, "%-15s %-20s %s\n", f->name, f->shape, f->about);
  }
  return text;
}
