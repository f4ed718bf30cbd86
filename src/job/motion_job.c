#include "job/motion_job.h"

#include <string.h>

#include "job/job_text.h"

static void weigh_muscles(lb_job* j) {
  lb_motion_job* own = j->own;
  double mass = 0;
  for (int i = 0; i < j->scene.nmuscle; i++) {
    mass += j->scene.muscle[i].mass.amount;
  }
  if (mass == 0) {
    const lb_muscle_volume how = lb_muscle_volume_default();
    own->masses = lb_scene_weigh_muscles(&j->scene, &how);
  }
}

lb_status lb_motion_job_load(lb_job* j, lb_error* err) {
  lb_motion_job* own = j->own;
  j->scene.record.reactions = !own->unloaded; // fixed joints are links then
  lb_status status = lb_job_need_table(j, "a motion", err);
  status = status == LB_OK ? lb_job_scale(j, err) : status;
  if (own->weigh) {
    weigh_muscles(j);
  }
  status = status == LB_OK ? lb_job_make_model(j, err) : status;
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

static const double LEAST = 0.01; // activation that keeps elastic tendons taut

static lb_muscle_static_options static_options(const lb_job* j) {
  lb_muscle_static_options how = lb_muscle_static_default();
  how.power = j->o.power;
  how.passive = j->o.passive;
  how.elastic = j->o.elastic;
  how.least = j->o.elastic ? LEAST : how.least;
  return how;
}

lb_status lb_motion_job_run(lb_job* j, int parts, lb_error* err) {
  lb_motion_job* own = j->own;
  lb_inverse_options o = lb_inverse_default();
  o.cutoff = j->o.cutoff;
  o.force_cutoff = j->o.force_cutoff;
  o.opensim = j->o.filter && strcmp(j->o.filter, "opensim") == 0;
  o.touch = j->o.touch;
  o.begin = j->o.begin;
  o.end = j->o.end;
  o.forces = own->forces;
  o.progress = lb_job_progress(j);
  lb_status status = lb_job_record(j, j->model, &j->recording, err);
  if (status == LB_OK && parts >= 0) {
    const lb_muscle_static_options how = static_options(j);
    status = lb_analysis_create(j->model, own->motion->nsample, parts, &how, j->arena.allocator,
                                &own->analysis, err);
    o.analysis = own->analysis;
  }
  if (status == LB_OK) {
    status = lb_inverse(j->model, own->motion, &o, j->recording, &j->summary, err);
    j->summary.analysis = own->analysis;
    j->kept = (status == LB_OK || status == LB_INTERRUPTED) && j->recording->nframe > 0;
  }
  return status;
}

// Tables of forces that begin late or end early leave the rest without any.
static void warn_without_forces(lb_job* j, const lb_outer_forces* f) {
  const lb_recording* r = j->recording;
  int without = 0;
  for (int i = 0; i < r->nframe; i++) {
    bool any = false;
    for (int k = 0; k < f->count && !any; k++) {
      const lb_scene_external* e = &f->item[k];
      any = r->time[i] >= e->time[0] && r->time[i] <= e->time[e->nsample - 1];
    }
    without += !any;
  }
  if (without > 0) {
    const lb_scene_external* e = &f->item[0];
    lb_job_warn(j,
                "no force acts at %d of %d moments: the table of '%.64s' goes from %g to %g s, and "
                "the motion from %g to %g s",
                without, r->nframe, e->name, e->time[0], e->time[e->nsample - 1], r->time[0],
                r->time[r->nframe - 1]);
  }
}

void lb_motion_job_warn(lb_job* j) {
  const lb_motion_job* own = j->own;
  lb_job_warn_of_tables(j, own->motion, own->forces);
  if (own->forces && own->forces->count > 0 && j->recording) {
    warn_without_forces(j, own->forces);
  }
  if (j->recording) {
    lb_job_warn_of_paths(j);
  }
}

static void add_peak(lb_job* j, const char* name, const lb_torque_peak* p) {
  if (p->joint >= 0) {
    lb_job_figure(j, name, "%.4g N m or N, at joint '%s', t = %.4g s", p->value,
                  j->model->joint.name[p->joint], p->time);
  }
}

void lb_motion_job_peaks(lb_job* j) {
  add_peak(j, "largest", &j->summary.torque);
  add_peak(j, "residual", &j->summary.residual);
  lb_motion_job_gaps(j);
}

void lb_motion_job_gaps(lb_job* j) {
  if (j->model->constraint.count) {
    lb_job_figure(j, "gaps", "up to %.2g (m or rad) in loops and constraints",
                  j->summary.constraint_violation);
  }
}

void lb_motion_job_release(lb_job* j) {
  const lb_motion_job* own = j->own;
  lb_analysis_release(own->analysis);
  lb_outer_forces_release(own->forces);
  lb_joint_motion_release(own->motion);
}
