// Measured forces from columns of a table.
#pragma once
#include "limber/scene.h"
#include "scene/table/number_table.h"

// Fill in the samples of a force whose body, frames and columns are set. Columns are those whose
// names begin with the words given, three each. What a table of OpenSim's has along the ground's
// axes is turned to z up. `file`, texts and samples are in the arena.
lb_status lb_external_fill(lb_scene_external* e, const lb_numbers* n, lb_arena* arena,
                           lb_error* err);
// The same from nine columns: force, moment, point; -1: zero.
lb_status lb_external_take(lb_scene_external* e, const lb_numbers* n, const int column[9],
                           lb_arena* arena, lb_error* err);
