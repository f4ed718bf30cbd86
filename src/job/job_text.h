// Numbers, tables and warnings for people.
#pragma once
#include "limber/job.h"
#include "limber/shaping.h"

typedef struct lb_words {
  char text[48];
} lb_words;
// A duration: "250 us", "1.5 ms", "12.3 s", "2 min 5 s", "1 h 2 min".
lb_words lb_text_duration(double seconds);
// A count, to three digits or so.
lb_words lb_text_amount(double amount);
// "1 muscle", "2 muscles".
lb_words lb_text_count(int count, const char* what);

// Row of the table of how far motions are from their target; NULL: its head.
void lb_job_add_deviations(lb_job* job, const lb_replay* replay);

// Stress of elastic bodies, and a table of what motors have to do, in the recorded motion.
void lb_job_add_forces(lb_job* job);

// Stiffness and damping of constraints that yield, with ERP and CFM for the scene's step.
void lb_job_add_compliance(lb_job* job);

// Warning that a search cannot be kept, once, and why.
void lb_job_warn_of_state(lb_job* job, bool* told, const lb_error* err);
// Warnings of the start, with steps of this length, and of the recorded motion.
void lb_job_warn_of_start(lb_job* job, const lb_moved_start* moved, const lb_steep_friction* steep,
                          double step);
void lb_job_warn_of_motion(lb_job* job);
// Warnings of heavy muscles that lift off surfaces within too few steps, of paths that jump or turn
// fast, and of networks outside the range of their training, over the recorded motion.
void lb_job_warn_of_paths(lb_job* job);
// Warnings of paths at a start, with the poses of all bodies: those that could go either way, and
// those that are held by the longer way or along their side.
void lb_job_warn_of_path_starts(lb_job* job, const lb_transform* pose, const double* q);
// Warnings of bodies that nothing holds, and of those that fell out of the recorded motion.
void lb_job_warn_of_unheld(lb_job* job);
// What contacts are like, and what meets.
void lb_job_add_what_collides(lb_job* job);
// Warnings of bodies that overlap at the start, and of contacts of a run that were not solved or
// not kept.
void lb_job_warn_of_overlaps(lb_job* job, const lb_overlaps* overlaps);
// Rolling and spinning friction whose lever arm is longer than its body.
void lb_job_warn_of_lever_arms(lb_job* job);
// Figure of the summary: how many there were, and what steps left to the next ones.
void lb_job_add_contacts(lb_job* job);
void lb_job_warn_of_contacts(lb_job* job);
