// A reduced body as a file: everything that a simulation of it needs, and what is known of how well
// it stands for the full one. The structure is the file's image, flat arrays by rows as NumPy has
// them; lb_stored_build() makes the body that the recursions use.
//
// It lives here, above scenes and models, because a scene names such files and a model is made of
// them.
#pragma once
#include "elastic/reduced/cubature.h"
#include "geom/tet/tetmesh.h"

enum { LB_STORED_FORMAT = 1, LB_STORED_DIMENSIONS = 13 };

/// Arrays live in the arena they were made in. Lengths first, then the arrays with their shapes.
typedef struct lb_stored {
  int r;                           ///< coordinates
  int nnode, nelem;                ///< of the mesh
  int elem_nodes;                  ///< 4 or 10
  int nregion;                     ///< of the mesh, each with its material
  int nface;                       ///< the held one and those that carry
  int ncarry;                      ///< nface - 1
  int nfirst;                      ///< nface + 1
  int nface_node;                  ///< nodes of all faces
  int npoint;                      ///< of the cubature
  int nbody;                       ///< bodies that it was made for
  int nuntil;                      ///< number of `until`
  int nfigure;                     ///< figures of accuracy
  int ncheck;                      ///< states to check a reader with
  int three, two, six, dimensions; ///< 3, 2, 6 and LB_STORED_DIMENSIONS

  int* format;          ///< LB_STORED_FORMAT
  const char** readme;  ///< one text
  const char** body;    ///< [nbody] names
  const char** form;    ///< rod, box, tube or mesh
  double* form_numbers; ///< [dimensions] from, to, up, width, height, radius, inner

  double* until; ///< [nuntil] from the start [m]

  double* Phi;   ///< [r][nnode][3]
  double* omega; ///< [r] [rad/s]

  struct {
    double* node; ///< [nnode][3] reference positions [m]
    int* element; ///< [nelem][elem_nodes]
    int* region;  ///< [nelem]
  } mesh;
  struct {
    const char** model; ///< [nregion]
    double* young;      ///< [nregion] [Pa]
    double* poisson;    ///< [nregion]
    double* density;    ///< [nregion] [kg/m^3]
    double* damping;    ///< [2] alpha [1/s], beta [s]: the largest of all regions
    double* share;      ///< [nregion][2] shares of each region
  } material;
  struct {
    double* mass; ///< [kg]
    double* h0;   ///< [3] int rho X
    double* E0;   ///< [3][3] int rho X X'
    double* H;    ///< [r][3] int rho Phi_k
    double* B0;   ///< [r][3][3] int rho Phi_k X'
    double* B1;   ///< [r][r][3][3] int rho Phi_k Phi_l'
    double* M;    ///< [r][r] int rho Phi_k . Phi_l
    double* C;    ///< [r][r] M with each region's share of alpha
  } inertia;
  struct {
    const char** name; ///< [nface] the held one first
    int* first;        ///< [nfirst] first node of each, below
    int* node;         ///< [nface_node]
    double* weight;    ///< [nface_node] area of each [m^2]
    double* x0;        ///< [ncarry][3]
    double* A0;        ///< [ncarry][3][3]
    double* W;         ///< [ncarry][r][3]
    double* A;         ///< [ncarry][r][3][3]
  } face;
  struct {
    double* x;      ///< [npoint][3] reference positions [m]
    double* weight; ///< [npoint] [m^3]
    double* G;      ///< [npoint][r][3][3] dPhi_k / dX
    int* region;    ///< [npoint]
    int* element;   ///< [npoint]
  } point;
  struct {
    double* eta_mean;  ///< [r] over the training
    double* eta_most;  ///< [r] largest |eta_k| of the training
    double* eta_limit; ///< [r] range of use, >= eta_most
    /// [nface][6] accelerations of the body's frame and of what each other face carries: linear
    /// less gravity, angular, in its axes
    double* load_limit;
    double* load_every; ///< time between the frames they were found from [s]
  } range;
  struct {           // states to check a reader with
    double* eta;     ///< [ncheck][r]
    double* etad;    ///< [ncheck][r]
    double* v;       ///< [ncheck][3] velocity of the frame's origin, in its axes
    double* w;       ///< [ncheck][3] its angular velocity
    double* force;   ///< [ncheck][r] dV/deta
    double* energy;  ///< [ncheck] V
    double* kinetic; ///< [ncheck]
  } check;

  const char** figure_name; ///< [nfigure]
  double* figure;           ///< [nfigure]
} lb_stored;

/// The bytes of the file, in `arena`.
lb_status lb_stored_pack(const lb_stored* stored, lb_arena* arena, char** bytes, size_t* size);

/// Arrays to a body: LB_INVALID with every fault of the arrays and their contents.
lb_status lb_stored_unpack(const char* bytes, size_t size, const char* name, lb_arena* arena,
                           lb_stored* stored, lb_error* err);
/// From a file; one that cannot be read is reported at `from`.
lb_status lb_stored_read(const char* path, lb_place from, lb_arena* arena, lb_stored* stored,
                         lb_error* err);

/// Validity of a file's numbers. unpack() calls it.
lb_status lb_stored_check(const lb_stored* stored, const char* name, lb_error* err);

/// The body, in `arena`; of `stored` nothing is kept.
lb_status lb_stored_build(const lb_stored* stored, lb_arena* arena, lb_reduced** reduced);

/// The mesh, without surfaces, and the faces; they point into `stored`.
lb_status lb_stored_mesh(const lb_stored* stored, lb_arena* arena, lb_tetmesh* mesh);
lb_basis_face lb_stored_face(const lb_stored* stored, int face);
/// The face of that name (0 is the held one), or -1.
int lb_stored_find_face(const lb_stored* stored, const char* name);

/// Input of a file. The figures of accuracy and the range are left for the caller.
typedef struct lb_stored_input {
  const lb_tetmesh* mesh;
  const lb_material* material; ///< [nregion]
  const lb_basis* basis;
  const lb_reduced* reduced;
  const lb_points* points;
  int nface;
  const char* const* face_name; ///< [nface] the held one first
  const lb_basis_face* face;    ///< [nface]
  int nbody;
  const char* const* body; ///< [nbody]
  const char* form;
  double form_numbers[LB_STORED_DIMENSIONS];
  int nuntil;
  const double* until; ///< [nuntil]
  int nsample;         ///< training coordinates: rows for the range; 0: a body that was not trained
  const double* eta;   ///< [nsample][r]
} lb_stored_input;
lb_status lb_stored_make(const lb_stored_input* in, lb_arena* arena, lb_stored* stored);

/// Reach of a state beyond the training: the largest |eta_k| / limit_k. 1 and less is inside.
double lb_stored_reach(int r, const double* limit, const double* eta);
