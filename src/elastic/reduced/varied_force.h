// Variations of a reduced body: stiffer or softer, heavier or lighter all over. Its shapes stay
// what they are, because both stiffness and mass keep their proportions everywhere; where one
// region alone gets stiffer they stay by choice.
#pragma once
#include "elastic/reduced/reduced.h"

// A copy of `from` whose internal forces are `stiffness` times, and whose mass is `mass` times as
// large. It shares the rest with `from`, which must outlive it.
lb_status lb_reduced_scale(const lb_reduced* from, double stiffness, double mass, lb_arena* arena,
                           lb_reduced* scaled);

// A variant with the internal forces of each region `factor` [nregion] times as large. Where there
// are several, its internal force must know them.
lb_status lb_reduced_scale_regions(const lb_reduced* from, int nregion, const double* factor,
                                   lb_arena* arena, lb_reduced* scaled);
