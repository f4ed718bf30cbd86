// Unilateral constraints of the scene beside contacts: rows of the same problem, so that floors,
// ropes and couplings with a bound act together with what collides. A constraint c >= 0 with the
// rate r at velocities without contact asks for
//
//   w = r + J (u - u0) + c/h >= 0                                                         (1)
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/tree/kinematics.h"

static int group_of_row(const lb_contacts* C, const lb_constraint_row* r) {
  const lb_model* m = C->m;
  int link = r->coupling < 0 ? r->b->link : LB_WORLD;
  link = r->coupling < 0 && link == LB_WORLD ? r->a->link : link;
  if (r->coupling >= 0) {
    const int v = m->constraint.term[m->constraint.coupling[r->coupling].first].v;
    link = lb_contacts_link_of(m, v);
  }
  return link == LB_WORLD ? -1 : C->group_of[link];
}

static void fill_row(lb_contacts* C, const lb_data* d, const lb_constraint_row* r, int group) {
  const lb_contact_group* g = &C->group[group];
  for (int k = 0; k < g->nv; k++) {
    C->full[g->v[k]] = 0;
  }
  if (r->coupling >= 0) {
    lb_coupling_row(C->m, d, r->coupling, r->sign, false, C->full);
  } else {
    lb_constraint_rows_add_link(C->m, d->work, r, 1, C->full, r->b->link, 1);
    lb_constraint_rows_add_link(C->m, d->work, r, 1, C->full, r->a->link, -1);
  }
}

static void add_row(lb_contacts* C, const lb_data* d, const lb_constraint_row* r, int group,
                    double h) {
  const lb_contact_group* g = &C->group[group];
  const int row = C->problem.nrow++;
  C->block[C->problem.nblock++] = row;
  C->row[row] = (lb_contact_row){
      .kind = LB_CONTACT_UNILATERAL, .group = {-1, -1}, .normal = -1, .b = r->rate + r->gap / h};
  C->lambda[row] = 0;
  const int at = lb_contacts_take_entry(C, row, 0, group);
  fill_row(C, d, r, group);
  for (int k = 0; k < g->nv; k++) {
    C->J[at + k] = C->full[g->v[k]];
    C->row[row].b -= C->J[at + k] * d->qd[g->v[k]];
  }
  lb_contacts_list_entry(C, group, at);
}

void lb_contacts_add_constraints(lb_contacts* C, lb_data* d, double h) {
  lb_constraints* L = d->work->constraints;
  C->nbound = 0;
  if (C->nunilateral == 0) {
    return;
  }
  lb_kinematics(C->m, d, d->q, d->qd);
  lb_constraints_measure(C->m, d, LB_SET_STEP);
  for (int i = 0; i < L->nrow; i++) {
    const int group = L->row[i].unilateral ? group_of_row(C, &L->row[i]) : -1;
    C->bound[i] = group >= 0 ? C->problem.nrow : -1;
    C->nbound = i + 1;
    if (group >= 0) {
      add_row(C, d, &L->row[i], group, h);
    }
  }
}

void lb_contacts_multipliers(const lb_contacts* C, double* lambda) {
  for (int i = 0; i < C->nbound; i++) {
    lambda[i] = C->bound[i] >= 0 ? C->before[C->bound[i]] : 0;
  }
}
