// Linkages: read from a rough drawing (part_linkages.c), closed and given their pins
// (linkage_close.c), made into entries of bodies, joints and motors (linkage_make.c), and started
// where their cranks are (linkage_start.c).
#pragma once
#include "math/linkage/planar_linkage.h"
#include "scene/part/part.h"

// Points go to where all sides have their lengths, the crank as drawn; complaints where they
// cannot.
bool lb_linkage_close(lb_reader* r, lb_scene_linkage* k);
// Pins that carry bars and those that close loops; complaints of bars that nothing carries.
bool lb_linkage_pin_bars(lb_reader* r, lb_scene_linkage* k);
// Entries of one linkage, as if its author had written them.
bool lb_linkage_make(lb_reader* r, lb_scene_linkage* k);

// Linkage as points and sides, the arrays in the arena; false: there is no memory.
bool lb_linkage_planar(const lb_scene_linkage* k, lb_arena* arena, lb_planar* out,
                       double (**at)[2]);
// Place of a point in the frame of a bar of a copy.
lb_vec3 lb_linkage_place(const lb_scene_linkage* k, const lb_linkage_copy* copy, int bar,
                         int point);
// Angle of the crank as its points lie.
double lb_linkage_crank_angle(const lb_scene_linkage* k, double (*at)[2]);
// Angle of a bar's frame in the drawing.
double lb_linkage_bar_angle(const lb_linkage_bar* bar, double (*at)[2]);
// Axes of the drawing's plane and its normal, as a rotation.
lb_quat lb_linkage_axes(const lb_scene_linkage* k);
// Points of a copy with its crank at an angle, from those of the drawing; `*reached` as
// lb_planar_turn has it.
bool lb_linkage_turn_copy(lb_arena* scratch, const lb_scene_linkage* k, const lb_linkage_copy* copy,
                          double angle, double (**at)[2], double* reached);
