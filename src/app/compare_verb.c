// Two runs on one page.
#include <math.h>
#include <stdio.h>

#include "app/terminal.h"
#include "app/verb.h"
#include "limber/recording.h"

static void say_bodies(const lb_compared* c) {
  for (int i = 0; i < c->nbody && i < LB_COMPARED_MOST; i++) {
    const lb_compared_body* b = &c->body[i];
    if (b->distance > 0 || b->angle > 0) {
      say(stdout, "  apart     %-20s %.4g mm at %.4g s, turned %.3g deg at %.4g s", b->name,
          1e3 * b->distance, b->time, b->angle * 180 / M_PI, b->turned);
    }
  }
  if (c->nbody > 0 && !(c->body[0].distance > 0 || c->body[0].angle > 0)) {
    say(stdout, "  apart     nowhere: all bodies in common move alike");
  }
  for (int of = 0; of < 2; of++) {
    for (int i = 0; i < c->nalone[of] && i < LB_COMPARED_MOST; i++) {
      say(stdout, "  only in %c %s", "AB"[of], c -> alone[of][i]);
    }
    if (c->nalone[of] > LB_COMPARED_MOST) {
      say(stdout, "  only in %c %d bodies more", "AB"[of], c -> nalone[of] - LB_COMPARED_MOST);
    }
  }
}

static void say_motors(const lb_compared* c) {
  for (int i = 0; i < c->nmotor && i < LB_COMPARED_MOST; i++) {
    const lb_compared_motor* m = &c->motor[i];
    say(stdout, "  motor     %-20s peak %.4g in A, %.4g in B (N m or N)", m->name, m->peak[0],
        m->peak[1]);
  }
}

exit_code compare_runs(const verb_args* a, int nplain, char** words) {
  const char* dir = a->o.out ? a->o.out : "out/compare";
  lb_error err = lb_error_make(NULL);
  (void)nplain;
  lb_compared figures;
  const lb_status status = lb_comparison_write(words[0], words[1], dir, &figures, NULL, &err);
  if (status != LB_OK) {
    tell_errors(&err);
  } else if (!a->quiet) {
    say(stdout, "A %s and B %s side by side", words[0], words[1]);
    say_bodies(&figures);
    say_motors(&figures);
    say(stdout, "  results   %s/compare.html  open it in a browser", dir);
  }
  lb_error_clear(&err);
  return status == LB_OK ? EXIT_DONE : EXIT_INPUT;
}
