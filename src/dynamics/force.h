// Forces of the system: a table of laws, each applied to all its members. Kinematics and, for laws
// that ask for it, velocities of the origins are in place when they are called.
#pragma once
#include "limber/dynamics.h"

typedef struct lb_force {
  const char* name;
  // How many there are; laws without members are skipped.
  int (*count)(const lb_model* m);
  // Add the forces to the links' external forces and to the generalised ones.
  void (*apply)(const lb_model* m, lb_data* d);
  // Stored energy; NULL: the law stores none.
  double (*energy)(const lb_model* m, lb_data* d);
} lb_force;

extern const lb_force lb_force_joint, lb_force_spring, lb_force_load, lb_force_motor,
    lb_force_elastic, lb_force_loop;

// All of them: sets the external forces and tau of the work space. The potential energy they hold.
void lb_forces_apply(const lb_model* m, lb_data* d);
double lb_forces_energy(const lb_model* m, lb_data* d);
