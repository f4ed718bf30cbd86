// One line for each thing that feeds energy in or takes it out, in the order of the forces
// (dynamics/force.c) and then of the constraints. A new force that does either belongs here.
#include "solve/conservative.h"

#include "dynamics/loop.h"
#include "elastic/reduced.h"
#include "elastic/viscous.h"
#include "model/link.h"

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

static bool strands_damp(const lb_model* m) {
  for (int i = 0; i < m->nsegment; i++) {
    if (m->segment[i].damping > 0) {
      return true;
    }
  }
  return false;
}

static bool nodes_drag(const lb_model* m) {
  for (int i = 0; i < m->nnode; i++) {
    if (m->node[i].drag > 0) {
      return true;
    }
  }
  return false;
}

static bool flesh_damps(const lb_model* m) {
  for (int i = 0; i < m->nsoft; i++) {
    if (m->soft[i].viscous->nelem > 0) {
      return true;
    }
  }
  return false;
}

// --- constraints ---

static bool points_are_led(const lb_model* m) {
  for (int i = 0; i < m->nguide; i++) {
    lb_profile* const* path = m->guide[i].path;
    if (path[0] || path[1] || path[2] || m->guide[i].angle) {
      return true;
    }
  }
  return false;
}

static bool couplings_lead(const lb_model* m) {
  for (int i = 0; i < m->nrelation; i++) {
    if (m->relation[i].path) {
      return true;
    }
  }
  return false;
}

// Impacts do not bounce.
static bool stops_are_hit(const lb_model* m) {
  return lb_loops_one_way(m) >= 0;
}

static bool gaps_close(const lb_model* m) {
  return m->solver.closing > 0;
}

static bool (*const CHANGES[])(const lb_model* m) = {
    joints_resist,  springs_damp,   cables_damp,   grounds_rub,  bodies_drag, loads_push,
    motors_drive,   bodies_damp,    loops_resist,  strands_damp, nodes_drag,  flesh_damps,
    points_are_led, couplings_lead, stops_are_hit, gaps_close};

bool lb_is_conservative(const lb_model* m) {
  for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
    if (CHANGES[i](m)) {
      return false;
    }
  }
  return true;
}
