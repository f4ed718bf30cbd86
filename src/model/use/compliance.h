// Compliance in the numbers of the Open Dynamics Engine, which depend on the step h: the share of a
// gap that a step closes, and what softens the constraint's equation.               [auto] eq. 5
//
//   ERP = h kp / (h kp + kd),   CFM = 1 / (h kp + kd)
#pragma once
#include "limber/model.h"

static inline double lb_compliance_erp(lb_compliance by, double h) {
  return h * by.stiffness / (h * by.stiffness + by.damping);
}

static inline double lb_compliance_cfm(lb_compliance by, double h) {
  return 1 / (h * by.stiffness + by.damping);
}

// Kinds of rows that a compliance is of: along directions, about axes.
enum { LB_COMPLIANCE_SHIFT, LB_COMPLIANCE_TURN, LB_COMPLIANCES };

static inline bool lb_constraint_yields(const lb_model_constraint* c) {
  return c->compliance[LB_COMPLIANCE_SHIFT].stiffness > 0 ||
         c->compliance[LB_COMPLIANCE_TURN].stiffness > 0;
}
