// Why a run cannot go on, in the words of the scene: what cannot hold, what it works against, and
// what flew off.
#pragma once
#include "limber/simulate.h"

// Gaps [m or rad] up to this are closed; what a step or a start leaves beyond it cannot hold.
#define LB_CLOSED 1e-6
// Steps that do not solve for places leave gaps, but none as wide as this [rad], or this part of
// the size of what is simulated. Beyond it what follows would mean nothing.
#define LB_OPEN 1e-2

// d is at the best pose found (lb_project), and something is open: say which constraint, loop or
// joint that is, against what, and why it may be so. At the start that is the author's mistake.
lb_status lb_diagnose_open(const lb_model* m, lb_data* d, bool start, lb_error* err);

// Before a run from d's state to a time: refuse a prescribed motion of something that no joint lets
// move.
lb_status lb_diagnose_held(const lb_model* m, const lb_data* d, double until, lb_error* err);

// After a failed step of h from the state in d: can its constraints be closed at its end, or soon
// after? Motion is fastest just before something is out of reach, and steps may fail there. If not,
// d is left at the best pose found.
bool lb_is_out_of_reach(const lb_model* m, lb_data* d, double h);

// Steps left a constraint, by lb_constraint_gap's number, open by that much, though there are poses
// in which it is closed.
lb_status lb_diagnose_slack(const lb_model* m, int which, double gap, double time, lb_error* err);

// The velocity that is largest, with what h of its acceleration adds.
int lb_fastest(const lb_model* m, const lb_data* d, double h);

// A step of h from the state in d went to no place (`left`: beyond all bounds; else none was
// found): say what moves fastest there, and why it may be so.
lb_status lb_diagnose_lost(lb_stepper* st, lb_data* d, double h, bool left, lb_error* err);
