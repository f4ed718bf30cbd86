// Jobs that go along a motion of joints: inverse dynamics, and what muscles do in it.
#pragma once
#include "job/job_inside.h"
#include "limber/analysis.h"
#include "limber/inverse.h"
#include "scene/part/muscle_volume.h"

// What they have at job->own.
typedef struct lb_motion_job {
  lb_joint_motion* motion;
  lb_outer_forces* forces; // or NULL
  lb_analysis* analysis;   // or NULL
  bool unloaded;           // forces are of no interest, and those of the ground may lack
  bool weigh;              // muscles by their volume, where none has a mass
  lb_muscle_masses masses; // that they were given so
} lb_motion_job;

// Model, motion and forces by the job's options.
lb_status lb_motion_job_load(lb_job* job, lb_error* err);
// Inverse dynamics, with an analysis of these parts of muscles; -1: none.
lb_status lb_motion_job_run(lb_job* job, int parts, lb_error* err);
// Warnings that all of them have.
void lb_motion_job_warn(lb_job* job);
// Peaks of the joint forces, and gaps.
void lb_motion_job_peaks(lb_job* job);
// What is left open in loops and constraints.
void lb_motion_job_gaps(lb_job* job);
// Activations and reserves by static optimisation.
void lb_motion_job_effort(lb_job* job, const lb_analysis* analysis);
// The largest part of inertia of each muscle, and which are needed.
void lb_motion_job_inertia(lb_job* job, const lb_analysis* analysis);
void lb_motion_job_release(lb_job* job);
