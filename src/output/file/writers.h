// The files a recording becomes, one function each. They write to `out` and leave failures there.
#pragma once
#include "limber/recording.h"
#include "output/file/out.h"

void lb_write_csv(lb_out* out, const lb_recording* recording);
// The line of a frame; -1: the headings.
void lb_write_csv_line(lb_out* out, const lb_recording* recording, int frame);
void lb_write_summary(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// In summary.json, where the scene is, from the root; null when it is no file.
void lb_print_scene_path(lb_out* out, const char* file);
// With at most `most` frames, evenly spread.
void lb_write_gltf(lb_out* out, const lb_recording* recording, int most);
// With its bodies in groups of equal size, each a node of that name.
void lb_write_gltf_groups(lb_out* out, const lb_recording* recording, int most, int ngroup,
                          const char* const* group);
void lb_write_report(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// What forces and motors do.
void lb_write_forces(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Where bodies touch, a line for each point in each frame.
void lb_write_contacts(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Stress of elastic bodies, element by element.
void lb_write_stress(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Joint forces by inverse dynamics, and reactions.
void lb_write_torques(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_reactions(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Tables for OpenSim's tools: coordinates that have names, and generalised forces on them.
void lb_write_coordinates(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// The same with states of muscles, as a start for --states; and coordinates alone, in degrees.
void lb_write_states(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_motion(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_moments(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// A table for OpenSim's tools, column by column.
typedef struct lb_sto {
  const char* title;
  int columns, rows; // besides the time
  const double* time;
  void (*heading)(lb_out* out, const void* of, int column);
  double (*value)(const void* of, int row, int column);
  const void* of;
} lb_sto;
void lb_write_sto(lb_out* out, const lb_sto* table);

// Muscles along a motion: lengths, arms, static optimisation, joint loads, and parts of inertia.
void lb_write_lengths(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_arms(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_activations(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_tensions(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_reserves(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_joint_loads(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_inertia(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_summarise_analysis(lb_out* out, const struct lb_analysis* analysis);

// Coordinates with names.
int lb_count_named(const lb_model* model);

// Measured markers, and where a model has them at the same times.
typedef struct lb_marker_places {
  const struct lb_markers* markers;
  const double* placed; // [nsample][nmarker][3]
  int nsample;
} lb_marker_places;

// Those of a fit, or of inverse kinematics.
lb_marker_places lb_marker_places_of(const lb_summary* summary);

// Files of a fit: lines for the scene, and where the model's markers are at the times of the
// measured ones, which inverse kinematics has as well.
void lb_write_fitted(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_markers(lb_out* out, const lb_recording* recording, const lb_summary* summary);

// Files of retargeting: the motors' curves as a table and as splines for a scene, and its three
// motions.
void lb_write_profiles(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_splines(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_target(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_before(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_after(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Target, before and after in one world, with at most `most` frames.
void lb_write_gltf_retargeting(lb_out* out, const lb_summary* summary, int most);
// Its part of summary.json.
void lb_summarise_retargeting(lb_out* out, const struct lb_retarget_result* result);

// Files of an optimisation: its numbers as a table; its part of summary.json and of the report.
void lb_write_parameters(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_summarise_optimisation(lb_out* out, const struct lb_optimize_result* result);
void lb_report_optimisation(lb_out* out, const struct lb_optimize_result* result);

// Files of a collocation: controls, and all numbers at the nodes, to begin with again; its part of
// summary.json and of the report.
void lb_write_controls(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_solution(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_summarise_collocation(lb_out* out, const struct lb_collocation* collocation);
void lb_report_collocation(lb_out* out, const struct lb_collocation* collocation);

// Files of reduced mechanisms: their compliance as a table; their part of summary.json; reduced and
// whole in one world, with at most `most` frames.
void lb_write_compliance(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_summarise_forks(lb_out* out, const struct lb_fork_result* result);
void lb_write_gltf_forks(lb_out* out, const lb_recording* recording, const lb_summary* summary,
                         int most);

// The files that a recording with this summary becomes, one after the other; NULL at the end.
typedef struct lb_result_file {
  const char *name, *words; // words: what it is for
} lb_result_file;
const lb_result_file* lb_results_file(const lb_recording* recording, const lb_summary* summary,
                                      int i);
// Number i of the files in a folder that are none of this job's: an earlier one left them; or NULL.
const char* lb_results_left(const char* dir, const lb_recording* recording,
                            const lb_summary* summary, int i);

// Title of a reaction, of a joint, a prescribed point or one on a floor, by its number in
// a recording: whose it is, and which of several points of one constraint, from 0, or -1.
typedef struct lb_reaction_title {
  const char* name;
  int point;
} lb_reaction_title;
int lb_reactions_shown(const lb_model* model); // those that have names of their own
lb_reaction_title lb_reaction_of(const lb_model* m, int i);

// Part of a line of a table: cells, or in line -1 headings, of what is at `of`.
typedef void lb_table_part(lb_out* out, const void* of, int line);
// A line: the time, then the parts, [] up to NULL.
void lb_write_line(lb_out* out, int line, double time, const void* of, lb_table_part* const* part);
// The heading NAME.SUFFIX in line -1, else the value, with the comma before it.
void lb_write_column(lb_out* out, int line, const char* name, const char* suffix,
                     const double* value);
// A cell with a name alone.
void lb_write_name(lb_out* out, const char* name);

// Which frames stand for all of them when at most `most` may be shown: evenly spread, the first and
// the last among them.
static inline int lb_frames_shown(int nframe, int most) {
  return nframe < most ? nframe : most;
}
static inline int lb_frame_shown(int nframe, int shown, int i) {
  return shown > 1 ? (int)((long)i * (nframe - 1) / (shown - 1)) : 0;
}
