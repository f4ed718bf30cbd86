// Notes that stand for many, and what is silent since something else was refused.
#include <string.h>

#include "scene/opensim/osim.h"

void lb_osim_note(lb_osim* o, lb_place place, const char* kind, const char* text) {
  for (int i = 0; i < o->ngroup; i++) {
    if (strcmp(o->group[i].kind, kind) == 0) {
      o->group[i].count++;
      return;
    }
  }
  lb_osim_group* grown = LB_GROW(&o->r->scratch, o->group, o->ngroup, &o->group_capacity);
  if (!grown) {
    lb_lack(o->r);
    return;
  }
  o->group = grown;
  o->group[o->ngroup++] = (lb_osim_group){kind, text, place, 1};
}

void lb_osim_report_notes(lb_osim* o) {
  for (int i = 0; i < o->ngroup; i++) {
    const lb_osim_group* g = &o->group[i];
    const char* all =
        g->count > 1 ? lb_compose(o->r, " (%d of them, this is the first)", g->count) : "";
    lb_remark(o->r, g->place, lb_compose(o->r, "%s%s", g->text, all));
  }
}

void lb_osim_refuse(lb_osim* o, const char* name) {
  const char** grown = LB_GROW(&o->r->scratch, o->refused, o->nrefused, &o->refused_capacity);
  if (!grown) {
    lb_lack(o->r);
    return;
  }
  o->refused = grown;
  o->refused[o->nrefused++] = name;
}

bool lb_osim_is_refused(const lb_osim* o, const char* name) {
  for (int i = 0; i < o->nrefused; i++) {
    if (strcmp(o->refused[i], name) == 0) {
      return true;
    }
  }
  return false;
}
