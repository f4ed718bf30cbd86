// Mechanisms that are reduced to their effectors.
#include <math.h>
#include <string.h>

#include "scene/part/part.h"

#define NAME_2(code, name) name,
static const char* const mass_names[] = {LB_FORK_MASS_LIST(NAME_2)};
static const lb_choices mass_choices = LB_CHOICES(mass_names);
static const char* const blend_names[] = {LB_FORK_BLEND_LIST(NAME_2)};
static const lb_choices blend_choices = LB_CHOICES(blend_names);
static const char* const simulated_names[] = {LB_FORK_SIMULATED_LIST(NAME_2)};
static const lb_choices simulated_choices = LB_CHOICES(simulated_names);

static const char* const links_names[] = {LB_FORK_LINKS_LIST(NAME_2)};
static const lb_choices links_choices = LB_CHOICES(links_names);

static const lb_field model_fields[] = {
    LB_LATER(FORCES, "loads", NULL, "none",
             "forces on effectors in that equilibrium, along the world's axes, by name"),
};
static const lb_table model_table = LB_TABLE("fork model", lb_scene_fork_model, model_fields);

static const lb_field grow_fields[] = {
    LB_SIZED(NUMBER, lb_scene_fork_grow, "error", error, LB_PURE, LB_POSITIVE_OR_UNSET, NULL,
             "estimated way of an effector to where it should be, in radii of the mechanism, above "
             "which a model is added"),
    LB_SIZED(COUNT, lb_scene_fork_grow, "most", most, LB_PURE, LB_NOT_NEGATIVE, "8",
             "how many models there may be, those of the scene included"),
};
static const lb_table grow_table = LB_TABLE("fork growth", lb_scene_fork_grow, grow_fields);

static const lb_field phase_fields[] = {
    LB_SIZED(NUMBER, lb_scene_fork_phase, "until", until, LB_TIME, LB_POSITIVE, "the end",
             "when the next phase begins"),
    LB_FROM(CHOICE, lb_scene_fork_phase, "simulate", simulated, &simulated_choices, "reduced",
            "how the mechanism moves in this phase"),
    LB_ROW(
        FLAG, lb_scene_fork_phase, "add", add, "false",
        "a model is added about the equilibrium under the forces on effectors that hold it where "
        "the phase begins"),
};
static void init_phase(void* part) {
  *(lb_scene_fork_phase*)part = (lb_scene_fork_phase){.until = INFINITY};
}
static const lb_table phase_table =
    LB_TABLE("fork phase", lb_scene_fork_phase, phase_fields, .init = init_phase);

static const lb_field fork_fields[] = {
    LB_LATER(BODIES, "effectors", NULL, NULL,
             "bodies or markers that the mechanism is reduced to; others follow them"),
    LB_LATER(TEXT, "base", NULL, "world",
             "what carries it: the world, a body that is held, or free: the body that carries it "
             "floats"),
    LB_FROM(CHOICE, lb_scene_fork, "mass", mass, &mass_choices, "static",
            "static: of shapes under static forces, right for vibrations; impulse: what effectors "
            "oppose to an impact"),
    LB_SIZED(COUNT, lb_scene_fork, "modes", modes, LB_PURE, LB_NOT_NEGATIVE, "0",
             "vibrations with all effectors held that are kept beside the static shapes, the "
             "slowest first"),
    LB_FROM(CHOICE, lb_scene_fork, "blend", blend, &blend_choices, "joints",
            "how compliances of several models are blended: by the columns of the joints, or by "
            "eigenvectors, for comparison"),
    LB_FROM(CHOICE, lb_scene_fork, "simulate", simulated, &simulated_choices, "reduced",
            "how limber simulate moves it: by its effectors, or whole"),
    LB_FROM(TABLE, lb_scene_fork, "grow", grow, &grow_table, "no models are added",
            "models that 'limber fork' adds while it runs"),
    LB_LATER(LIST, "models", &model_table, "one, at rest",
             "equilibria about which it is reduced; {} is at rest"),
    LB_ROW(FLAG, lb_scene_fork, "relinearise", relinearise, "false",
           "limber fork linearises it again in every step, in place of models: trees alone"),
    LB_FROM(CHOICE, lb_scene_fork, "links", links, &links_choices, "joints",
            "how links between effectors are shown: by their joints, or each by its own "
            "exponential, which leaves gaps"),
    LB_LATER(LIST, "phases", &phase_table, "one",
             "limber simulate moves it whole and reduced by turns; its state is handed over"),
};

static void init_fork(void* part) {
  *(lb_scene_fork*)part = (lb_scene_fork){.base = LB_WORLD};
}

// --- effectors ---

static const lb_scene_marker* find_marker(const lb_scene* s, const char* name) {
  for (int i = 0; i < s->nmarker; i++) {
    if (strcmp(s->marker[i].name, name) == 0) {
      return &s->marker[i];
    }
  }
  return NULL;
}

static bool unknown_effector(lb_reader* r, const lb_yaml* node) {
  lb_names all = {0};
  bool ok = true;
  for (int i = 0; i < r->scene.nmarker && ok; i++) {
    ok = lb_names_add(&all, &r->scratch, r->scene.marker[i].name, i);
  }
  const lb_names* bodies = &r->section[LB_SCENE_BODIES].names;
  for (int i = 0; i < bodies->count && ok; i++) {
    ok = lb_names_find(&all, bodies->text[i], -1) >= 0 ||
         lb_names_add(&all, &r->scratch, bodies->text[i], i);
  }
  return ok ? lb_unknown_name(r, node, "body or marker", &all) : lb_lack(r);
}

static bool read_effector(lb_reader* r, const lb_yaml* node, lb_scene_effector* to) {
  const lb_names* bodies = &r->section[LB_SCENE_BODIES].names;
  if (!lb_is_scalar(node)) {
    return lb_wrong_kind(r, node, "effectors", "a list of names of bodies or markers");
  }
  const lb_scene_marker* marker = find_marker(&r->scene, node->text);
  to->place = node->place;
  to->name = lb_arena_text(r->keep, node->text, strlen(node->text));
  to->body = marker ? marker->body : lb_names_find(bodies, node->text, -1);
  to->at = marker ? marker->at : lb_vec3_make(0, 0, 0);
  if (!to->name) {
    return lb_lack(r);
  }
  return to->body >= 0 || unknown_effector(r, node);
}

static bool read_effectors(lb_reader* r, const lb_yaml* list, lb_scene_fork* to) {
  to->effector = LB_TAKE(r->keep, lb_scene_effector, list->count);
  if (!to->effector) {
    return lb_lack(r);
  }
  bool ok = list->count > 0 ||
            lb_complain(r, list->place, "'effectors' must name at least one body or marker");
  for (int i = 0; i < list->count; i++) {
    const bool good = read_effector(r, list->item[i], &to->effector[to->neffector]);
    for (int k = 0; k < to->neffector && good; k++) {
      if (strcmp(to->effector[k].name, list->item[i]->text) == 0) {
        ok = lb_complain(r, list->item[i]->place, "'effectors' has '%s' twice (take one away)",
                         list->item[i]->text);
      }
    }
    ok = ok && good;
    to->neffector += good;
  }
  return ok;
}

static bool read_base(lb_reader* r, const lb_yaml* node, lb_scene_fork* to) {
  static const lb_field body = {.key = "base", .value = LB_VALUE_BODY};
  to->free = node && lb_is_scalar(node) && strcmp(node->text, "free") == 0;
  return !node || to->free || lb_read_value(r, node, &body, &to->base);
}

// --- models ---

static bool read_load(lb_reader* r, const lb_yaml* name, const lb_yaml* value,
                      const lb_scene_fork* of, lb_scene_effector_load* to) {
  static const lb_field force = {.key = "loads", .value = LB_VALUE_VECTOR, .dimension = LB_FORCE};
  lb_names known = {0};
  to->place = name->place;
  to->effector = -1;
  for (int i = 0; i < of->neffector; i++) {
    to->effector = strcmp(of->effector[i].name, name->text) == 0 ? i : to->effector;
    if (!lb_names_add(&known, &r->scratch, of->effector[i].name, i)) {
      return lb_lack(r);
    }
  }
  return (to->effector >= 0 || lb_unknown_name(r, name, "effector", &known)) &&
         lb_read_value(r, value, &force, &to->force);
}

static bool read_model(lb_reader* r, const lb_yaml* node, const lb_scene_fork* of,
                       lb_scene_fork_model* to) {
  to->place = node->place;
  if (!lb_read_table(r, node, &model_table, to)) {
    return false;
  }
  const lb_yaml* loads = lb_yaml_find(node, "loads");
  const int count = loads && lb_is_map(loads) ? loads->count : 0;
  to->load = LB_TAKE(r->keep, lb_scene_effector_load, count);
  if (!to->load) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < count; i++) {
    ok &= read_load(r, loads->key[i], loads->item[i], of, &to->load[i]);
  }
  to->nload = count;
  return ok;
}

static bool read_models(lb_reader* r, const lb_yaml* list, lb_scene_fork* to) {
  const int count = list && lb_is_list(list) ? list->count : 0;
  to->model = LB_TAKE(r->keep, lb_scene_fork_model, count);
  if (!to->model) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < count; i++) {
    ok &= read_model(r, list->item[i], to, &to->model[i]);
  }
  to->nmodel = count;
  return ok;
}

static bool read_phases(lb_reader* r, const lb_yaml* list, lb_scene_fork* to) {
  const int count = list && lb_is_list(list) ? list->count : 0;
  to->phase = LB_TAKE(r->keep, lb_scene_fork_phase, count);
  if (!to->phase) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < count; i++) {
    init_phase(&to->phase[i]);
    to->phase[i].place = list->item[i]->place;
    ok &= lb_read_table(r, list->item[i], &phase_table, &to->phase[i]);
  }
  to->nphase = count;
  return ok;
}

static bool finish_fork(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_fork* to = part;
  const lb_yaml* effectors = lb_yaml_find(node, "effectors");
  const lb_yaml* models = lb_yaml_find(node, "models");
  if (!effectors || !lb_is_list(effectors)) {
    return false; // which is reported
  }
  ok &= read_base(r, lb_yaml_find(node, "base"), to);
  ok &= read_effectors(r, effectors, to);
  return ok && read_models(r, models, to) && read_phases(r, lb_yaml_find(node, "phases"), to);
}

// --- checking ---

static void check_phases(lb_checker* c, const lb_scene_fork* f) {
  for (int i = 0; i < f->nphase; i++) {
    const lb_scene_fork_phase* p = &f->phase[i];
    if (i + 1 < f->nphase && !(p->until < f->phase[i + 1].until)) {
      lb_say(c, ": phase %d ends at %g s, and the one after it at %g s (give each a later 'until')",
             i + 1, p->until, f->phase[i + 1].until);
    }
    if (p->add && (i == 0 || p->simulated == LB_FORK_WHOLE)) {
      lb_say(c, ": phase %d adds a model, and %s", i + 1,
             i == 0 ? "nothing has moved yet (list it under 'models')" : "is not reduced");
    }
    if (p->add && (f->base != LB_WORLD || f->free)) {
      lb_say(c, ": phase %d adds a model, which needs a base that stays: the world", i + 1);
    }
  }
}

static void check_ways(lb_checker* c, const lb_scene_fork* f) {
  if (f->relinearise && (f->nmodel > 1 || f->grow.error > 0 || f->modes > 0)) {
    lb_say(c,
           ": 'relinearise' is in place of several 'models', 'grow' and 'modes' (take one away)");
  }
  if (f->links == LB_FORK_LINKS_EXPONENTIAL &&
      (f->nmodel > 1 || f->grow.error > 0 || f->relinearise || f->nphase > 0)) {
    lb_say(c, ": 'links: exponential' is of one model (take the others away, or 'links')");
  }
}

static void check_fork(lb_checker* c, const void* part) {
  const lb_scene_fork* f = part;
  check_phases(c, f);
  check_ways(c, f);
  if (f->neffector < 1) {
    lb_say(c, " has no effectors");
  }
  for (int i = 0; i < f->neffector; i++) {
    if (f->effector[i].body < 0 || f->effector[i].body >= c->s->nbody) {
      lb_say(c, ": effector %d is on body %d, which does not exist", i, f->effector[i].body);
    }
  }
  if (f->base < LB_WORLD || f->base >= c->s->nbody) {
    lb_say(c, ": its base is body %d, which does not exist", f->base);
  }
  for (int i = 0; i < f->nmodel; i++) {
    for (int k = 0; k < f->model[i].nload; k++) {
      const int e = f->model[i].load[k].effector;
      if (e < 0 || e >= f->neffector) {
        lb_say(c, ": a load is on effector %d, which does not exist", e);
      }
    }
  }
  if (f->free && f->grow.error > 0) {
    lb_say(c, ": models on a base that floats are not blended (take 'grow' away, or 'base: free')");
  }
  if (f->modes > 0 && f->mass == LB_FORK_IMPULSE) {
    lb_say(c, ": 'modes' are beside the static shapes (take 'mass: impulse' away)");
  }
  if (f->free && f->mass == LB_FORK_IMPULSE) {
    lb_say(c, ": 'mass: impulse' is for a base that is held (take it away, or 'base: free')");
  }
}

const lb_table lb_fork_table = LB_TABLE("fork", lb_scene_fork, fork_fields, .init = init_fork,
                                        .finish = finish_fork, .check = check_fork);
