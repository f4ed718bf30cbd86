// The models of the benchmark, in one place for every engine.
#pragma once
#include "engine.h"

/// Chain of n boxes from the world along x, hinges about y and z in turn. NULL: no memory.
bench_model* bench_chain(int n);
/// The same with all hinges about y: it stays in a plane.
bench_model* bench_planar_chain(int n);
/// Ladder of two rails of n links and n rungs, whose far ends balls close: n loops.
bench_model* bench_ladder(int n);
/// n four-bars side by side that do not touch each other: n loops.
bench_model* bench_four_bars(int n);
/// Curtain of n columns of n bars that hang from the world, with bars across between neighbours at
/// each joint, all in a plane: n (2 n - 1) bars, n (n - 1) loops that balls close.
bench_model* bench_grid(int n);
/// Humanoid of 22 links, 27 degrees of freedom, on a free base.
bench_model* bench_humanoid(void);
void bench_model_release(bench_model* model);

/// A state with all entries zero; false: no memory. Release with bench_state_release().
bool bench_state_create(const bench_model* model, bench_state* state);
void bench_state_release(bench_state* state);

/// The state in which engines are compared, angles times `scale`: hinge of link i has
/// q = 0.5 sin(1.3 i), qd = cos(0.7 i), tau = 0.2 sin(2.1 i); a free base rests.
void bench_state_test(const bench_model* model, double scale, bench_state* state);

/// Kinetic and potential energy of a planar chain [J]; written apart from every engine.
double bench_planar_energy(const bench_model* model, const double* q, const double* qd);
