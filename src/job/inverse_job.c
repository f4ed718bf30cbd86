// Inverse dynamics of a recorded motion.
#include "limber/inverse.h"

#include <string.h>

#include "job/job_inside.h"

typedef struct inverse_job {
  lb_joint_motion* motion;
  lb_outer_forces* forces; // or NULL
} inverse_job;

static lb_status load(lb_job* j, lb_error* err) {
  inverse_job* own = j->own;
  j->scene.record.reactions = true; // fixed joints are links then
  lb_status status = lb_job_make_model(j, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_joint_motion_read(j->o.table, j->model, j->arena.allocator, &own->motion, err);
  if (j->o.forces) {
    const lb_status one =
        lb_outer_forces_read(j->o.forces, j->model, j->arena.allocator, &own->forces, err);
    status = status == LB_OK ? one : status;
  }
  return status;
}

static lb_status run(lb_job* j, lb_error* err) {
  const inverse_job* own = j->own;
  lb_inverse_options o = lb_inverse_default();
  o.cutoff = j->o.cutoff;
  o.force_cutoff = j->o.force_cutoff;
  o.opensim = j->o.filter && strcmp(j->o.filter, "opensim") == 0;
  o.touch = j->o.touch;
  o.forces = own->forces;
  o.progress = lb_job_progress(j);
  lb_status status = lb_job_record(j, j->model, &j->recording, err);
  if (status == LB_OK) {
    status = lb_inverse(j->model, own->motion, &o, j->recording, &j->summary, err);
    j->kept = (status == LB_OK || status == LB_INTERRUPTED) && j->recording->nframe > 0;
  }
  return status;
}

static void add_peak(lb_job* j, const char* name, const lb_torque_peak* p) {
  if (p->joint >= 0) {
    lb_job_figure(j, name, "%.4g N m or N, at joint '%s', t = %.4g s", p->value,
                  j->model->joint.name[p->joint], p->time);
  }
}

static void report(lb_job* j) {
  const inverse_job* own = j->own;
  if (own->motion && own->motion->nheld > 0) {
    lb_job_warn(j, "the motion has no column for %d of the coordinates: '%s'%s at the start",
                own->motion->nheld, own->motion->held,
                own->motion->nheld > 1 ? " and others stay as they are" : " stays as it is");
  }
  if (j->outcome != LB_OK) {
    return;
  }
  lb_job_title(j, j->model->name, "forces at %d moments", j->recording->nframe);
  add_peak(j, "largest", &j->summary.torque);
  add_peak(j, "residual", &j->summary.residual);
  if (j->model->constraint.count) {
    lb_job_figure(j, "gaps", "up to %.2g (m or rad) in loops and constraints",
                  j->summary.constraint_violation);
  }
}

static void release(lb_job* j) {
  const inverse_job* own = j->own;
  lb_outer_forces_release(own->forces);
  lb_joint_motion_release(own->motion);
}

const lb_job_type lb_job_inverse = {.name = "inverse",
                                    .size = sizeof(inverse_job),
                                    .load = load,
                                    .run = run,
                                    .report = report,
                                    .release = release,
                                    .reduced = true};
