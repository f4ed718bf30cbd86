// Errors of the bases in which a search moves elastic bodies.
#pragma once
#include "job/job_inside.h"
#include "limber/shaping.h"

// Both motions with every node: the basis's error of each as it is, and `verified` [2], before and
// after, whose `track` has room.
lb_status lb_basis_verify(lb_job* job, lb_retarget_result* result, const lb_model* full,
                          lb_replay verified[2], lb_error* err);

// The same from richer bases, in little time. Where these cannot be had or played, errors stay NAN.
lb_status lb_basis_estimate(lb_job* job, lb_retarget_result* result, lb_error* err);
