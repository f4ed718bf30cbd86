// Words about contacts: what overlaps at the start, what was not solved, what was not kept.
#include <math.h>
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"

// Millimetres, and centimetres where these are many.
static lb_words depth_text(double depth) {
  lb_words out;
  snprintf(out.text, sizeof out.text, depth < 0.01 ? "%.3g mm" : "%.3g cm",
           depth * (depth < 0.01 ? 1e3 : 1e2));
  return out;
}

void lb_job_warn_of_overlaps(lb_job* j, const lb_overlaps* o) {
  const lb_model* m = j->model;
  char text[800] = "";
  size_t used = 0;
  for (int i = 0; i < o->nshown && used < sizeof text - 1; i++) {
    const lb_overlap* x = &o->deepest[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s'%.64s' and '%.64s' by %s",
                             i ? ", " : "", lb_model_toucher(m, x->body[0]),
                             lb_model_toucher(m, x->body[1]), depth_text(x->depth).text);
  }
  if (o->count > 0) {
    lb_job_warn_at(j, m->contact.set.place,
                   "shapes overlap at the start and are pushed apart: %s%s (move them, or let them "
                   "pass through each other with 'pairs')",
                   text, o->count > o->nshown ? " ..." : "");
  }
}

// What is less in velocity does not show [m/s].
static const double MUCH = 1e-5;

static bool left_some(const lb_contact_figures* c) {
  static const double MANY = 0.01; // of the steps
  return (double)c->unsolved > MANY * (double)c->steps && c->residual > MUCH;
}

void lb_job_add_contacts(lb_job* j) {
  const lb_contact_figures* c = &j->summary.contact;
  const char* points = c->points == 1 ? "point" : "points";
  if (c->steps > 0 && left_some(c)) {
    lb_job_figure(j, "contacts",
                  "up to %d %s; %ld of %ld steps ended with up to %.2g m/s left of a condition, "
                  "where the next went on",
                  c->points, points, c->unsolved, c->steps, c->residual);
  } else if (c->steps > 0) {
    lb_job_figure(j, "contacts", "up to %d %s, solved", c->points, points);
  }
}

// What a motor drives exactly gives way to nothing, and goes through what does not, either. Soft
// contacts need no motor. Impacts overlap for a few steps.
static void warn_of_depth(lb_job* j) {
  enum { FEW = 20 };
  static const char* const REMEDY[] = {
      [LB_CONTACT_RIGID] = "a motor or a path may force them, which 'drive: servo' with a 'limit' "
                           "does not; or take shorter steps",
      [LB_CONTACT_COMPLIANT] = "raise 'stiffness' of contacts, which yield"};
  const lb_contact_figures* c = &j->summary.contact;
  if (c->deep > FEW && j->summary.overlaps.count == 0) {
    lb_job_warn(j, "'%.64s' and '%.64s' went into each other, by %s at t = %.4g s (%s)",
                lb_model_toucher(j->model, c->sunk_in[0]),
                lb_model_toucher(j->model, c->sunk_in[1]), depth_text(c->depth).text, c->sunk_at,
                REMEDY[j->model->contact.set.law]);
  }
}

void lb_job_warn_of_contacts(lb_job* j) {
  static const double FAR = 1e-3; // by which places are wrong after a step, at most [m]
  const lb_contact_figures* c = &j->summary.contact;
  if (left_some(c) && c->residual * j->summary.step > FAR) {
    lb_job_warn(j,
                "contacts were not solved to the tolerance in %ld of %ld steps with contact, by up "
                "to %.2g m/s (take shorter steps, or a larger 'tolerance' of contacts)",
                c->unsolved, c->steps, c->residual);
  }
  warn_of_depth(j);
  const double end = lb_recording_contacts_end(j->recording);
  if (!isnan(end)) {
    lb_job_warn(j,
                "contacts.csv ends before t = %.4g s: it has room for %d points (record fewer "
                "frames with 'record: {every: ...}')",
                end, LB_CONTACTS_KEPT);
  }
}
