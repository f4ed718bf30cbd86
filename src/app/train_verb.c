// limber muscle train: a network in place of a wrapped path, for comparison.
#include <math.h>
#include <stdio.h>

#include "app/blas_room.h"
#include "app/interrupt.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "job/job_text.h"

// What was not asked for is the form's own.
static lb_network_options options_of(const verb_args* a, meter* m) {
  lb_network_options o = lb_network_default(a->train.form);
  const lb_network_options* asked = &a->train;
  o.layers = asked->layers ? asked->layers : o.layers;
  o.width = asked->width ? asked->width : o.width;
  o.samples = asked->samples ? asked->samples : o.samples;
  o.epochs = asked->epochs ? asked->epochs : o.epochs;
  o.rate = asked->rate > 0 ? asked->rate : o.rate;
  o.threshold = asked->threshold > 0 ? asked->threshold : o.threshold;
  o.seed = asked->seed ? asked->seed : o.seed;
  o.device = asked->device ? asked->device : o.device;
  o.threads = a->o.threads;
  o.resume = a->o.resume;
  o.out = a->o.out ? a->o.out : "out/network";
  o.progress = meter_progress(m);
  return o;
}

static void tell(const lb_network_options* o, const lb_network_report* r) {
  char text[200];
  snprintf(text, sizeof text, "%d layers of %d, %d weights, %d epochs of %d samples in %s",
           o->layers, o->width, r->weights, r->epochs, o->samples,
           lb_text_duration(r->seconds).text);
  say_title("network", text);
  if (isnan(r->slope)) {
    say(stdout, "  %-9s %.2g mm, rms, on samples that it was not trained with", "off by",
        1e3 * r->position);
    say(stdout, "  %-9s a radius of 0.01 to 0.2 m, points within 1 m along each axis", "range");
  } else {
    say(stdout, "  %-9s %.2g of the size of the path, rms, on samples that it was not trained with",
        "off by", r->position);
    say(stdout, "  %-9s any", "range");
  }
  say(stdout, "  %-9s %s/network.npz, for 'network' of a wrap in a scene", "results", o->out);
}

exit_code train_network(const verb_args* a, int nplain, char** words) {
  (void)nplain, (void)words;
  meter m = meter_start(a->quiet);
  lb_error err = lb_error_make(NULL);
  const lb_network_options o = options_of(a, &m);
  lb_network_report report;
  if (!blas_has_room(o.threads)) {
    return EXIT_JOB;
  }
  interrupt_listen();
  const lb_status status = lb_network_train(&o, NULL, &report, &err);
  meter_end(&m);
  tell_errors(&err);
  lb_error_clear(&err);
  if (status == LB_INTERRUPTED) {
    say(stderr, "the best of %d epochs is kept in %s; --resume goes on", report.epochs, o.out);
  } else if (status == LB_OK && !a->quiet) {
    tell(&o, &report);
  }
  return status == LB_OK            ? EXIT_DONE
         : status == LB_INTERRUPTED ? EXIT_INTERRUPTED
         : status == LB_INVALID     ? EXIT_INPUT
                                    : EXIT_JOB;
}
