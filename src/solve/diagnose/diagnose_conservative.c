// One line for each thing that feeds energy in or takes it out, in the order of the forces
// (dynamics/force/force.c) and then of the constraints. A new force that does either belongs here.
#include "solve/diagnose/diagnose_conservative.h"

#include "dynamics/constraint/constraint_loop.h"
#include "elastic/fem/viscous.h"
#include "elastic/reduced/reduced.h"
#include "model/use/link.h"

// --- joints ---

static bool joints_resist(const lb_model* m) {
  for (int k = 0; k < m->nv; k++) {
    if (m->damping[k] > 0 || m->friction[k] > 0 ||
        (m->limit_stiffness[k] > 0 && m->limit_damping[k] > 0)) {
      return true;
    }
  }
  return false;
}

static bool loops_resist(const lb_model* m) {
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].damping > 0) {
      return true;
    }
  }
  return false;
}

static bool motors_drive(const lb_model* m) {
  return m->nmotor > 0;
}

// --- forces on bodies ---

static bool springs_damp(const lb_model* m) {
  for (int i = 0; i < m->nspring; i++) {
    if (m->spring[i].damping > 0) {
      return true;
    }
  }
  return false;
}

static bool cables_damp(const lb_model* m) {
  for (int i = 0; i < m->ncable; i++) {
    if (m->cable[i].damping > 0) {
      return true;
    }
  }
  return false;
}

static bool grounds_rub(const lb_model* m) {
  for (int i = 0; i < m->nground; i++) {
    if (m->ground[i].dissipation > 0 || m->ground[i].friction > 0) {
      return true;
    }
  }
  return false;
}

static bool bodies_drag(const lb_model* m) {
  return m->ndrag > 0;
}

static bool loads_push(const lb_model* m) {
  return m->nload > 0;
}

// --- what is elastic ---

static bool bodies_damp(const lb_model* m) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_reduced* body = m->link[i].reduced;
    if (body && (body->alpha > 0 || body->beta > 0)) {
      return true;
    }
  }
  return false;
}

static bool ropes_damp(const lb_model* m) {
  for (int i = 0; i < m->nsegment; i++) {
    if (m->segment[i].damping > 0) {
      return true;
    }
  }
  return false;
}

static bool nodes_drag(const lb_model* m) {
  for (int i = 0; i < m->nparticle; i++) {
    if (m->particle[i].drag > 0) {
      return true;
    }
  }
  return false;
}

static bool deformable_damps(const lb_model* m) {
  for (int i = 0; i < m->ndeformable; i++) {
    if (m->deformable[i].viscous->nelem > 0) {
      return true;
    }
  }
  return false;
}

// --- constraints ---

static bool points_are_prescribed(const lb_model* m) {
  for (int i = 0; i < m->nprescribed; i++) {
    lb_profile* const* path = m->prescribed[i].path;
    if (path[0] || path[1] || path[2] || m->prescribed[i].angle) {
      return true;
    }
  }
  return false;
}

static bool couplings_lead(const lb_model* m) {
  for (int i = 0; i < m->ncoupling; i++) {
    if (m->coupling[i].path) {
      return true;
    }
  }
  return false;
}

// Impacts do not bounce.
static bool stops_are_hit(const lb_model* m) {
  return lb_constraints_unilateral(m) >= 0;
}

static bool gaps_close(const lb_model* m) {
  return m->solver.closing > 0;
}

static bool (*const CHANGES[])(const lb_model* m) = {
    joints_resist,         springs_damp,   cables_damp,   grounds_rub,
    bodies_drag,           loads_push,     motors_drive,  bodies_damp,
    loops_resist,          ropes_damp,     nodes_drag,    deformable_damps,
    points_are_prescribed, couplings_lead, stops_are_hit, gaps_close};

bool lb_is_conservative(const lb_model* m) {
  for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
    if (CHANGES[i](m)) {
      return false;
    }
  }
  return true;
}
