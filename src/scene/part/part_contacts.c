// Contacts: the law, and exceptions for pairs of bodies.
#include <string.h>

#include "scene/part/part.h"
#include "scene/yaml/names.h"

static const char* const law_names[] = {"rigid", "compliant"};
static const lb_choices law_choices = LB_CHOICES(law_names);
static const char* const friction_names[] = {"sticks", "viscous"};
static const lb_choices friction_choices = LB_CHOICES(friction_names);
static const char* const cone_names[] = {"round", "pyramid"};
static const lb_choices cone_choices = LB_CHOICES(cone_names);
static const char* const solver_names[] = {"fast", "reference", "as printed", "gauss-seidel"};
static const lb_choices solver_choices = LB_CHOICES(solver_names);

// --- pairs ---

#define OF_MATERIALS "those of the materials"
#define SURFACE(key, member, dimension, range, about)                                              \
  LB_SIZED(NUMBER, lb_scene_contact_pair, key, surface.member, dimension, range, OF_MATERIALS,     \
           about)
static const lb_field pair_fields[] = {
    LB_LATER(
        POINTS, "between", NULL, NULL,
        "two names, each of a body, of a group of bodies, of a rope or deformable, all of them, "
        "or world"),
    LB_ROW(FLAG, lb_scene_contact_pair, "collide", collide, "true", "false: they pass through"),
    SURFACE("friction", friction, LB_PURE, LB_NOT_NEGATIVE_IF_SET,
            "coefficient of friction between them"),
    SURFACE("restitution", restitution, LB_PURE, LB_UNIT_RANGE_IF_SET,
            "speed after an impact over the speed before"),
    SURFACE("rolling", rolling, LB_LENGTH, LB_NOT_NEGATIVE_IF_SET,
            "lever arm of the force against rolling"),
    SURFACE("spinning", spinning, LB_LENGTH, LB_NOT_NEGATIVE_IF_SET,
            "lever arm of the friction against spinning about the normal"),
};

static void init_pair(void* part) {
  *(lb_scene_contact_pair*)part =
      (lb_scene_contact_pair){.collide = true, .surface = {-1, -1, -1, -1}};
}

static bool finish_pair(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_contact_pair* pair = part;
  const lb_yaml* names = lb_yaml_find(node, "between");
  pair->place = node->place;
  if (!names || !lb_is_list(names) || names->count != 2) {
    return lb_complain(r, names ? names->place : node->place,
                       "'between' needs two names of bodies or groups: [foot, world]");
  }
  for (int i = 0; i < 2 && ok; i++) {
    const lb_yaml* name = names->item[i];
    ok = lb_is_scalar(name) ||
         lb_complain(r, name->place, "'between' needs names of bodies or groups");
    pair->between[i] = ok ? lb_arena_text(r->keep, name->text, strlen(name->text)) : NULL;
    ok = ok && (pair->between[i] || lb_lack(r));
  }
  return ok;
}

static const lb_table pair_table =
    LB_TABLE("contact pair", lb_scene_contact_pair, pair_fields, .item = "pair", .init = init_pair,
             .finish = finish_pair);

// --- contacts ---

#define CONTACTS(value, key, member, dimension, range, standard, about)                            \
  LB_SIZED(value, lb_scene_contacts, key, member, dimension, range, standard, about)
#define CHOICE(key, member, choices, standard, about)                                              \
  LB_FROM(CHOICE, lb_scene_contacts, key, member, &(choices), standard, about)
static const lb_field contact_fields[] = {
    CHOICE("law", law, law_choices, "rigid",
           "rigid: gaps do not close beyond zero; compliant: a spring and a damper"),
    CONTACTS(NUMBER, "stiffness", stiffness, LB_STIFFNESS, LB_POSITIVE, "1e8 N/m",
             "of the compliant law, of each contact point"),
    CONTACTS(NUMBER, "damping", damping, LB_DAMPING, LB_NOT_NEGATIVE, "1e4 N s/m",
             "of the compliant law, of each contact point"),
    CHOICE("friction", friction, friction_choices, "sticks",
           "sticks: nothing slides below the limit of friction; viscous: it creeps"),
    CONTACTS(NUMBER, "friction_damping", friction_damping, LB_DAMPING, LB_POSITIVE, "1e4 N s/m",
             "force over speed of viscous friction below the limit"),
    CHOICE("cone", cone, cone_choices, "round",
           "round: friction is as strong in all directions; pyramid: along two axes"),
    CHOICE("solver", solver, solver_choices, "fast",
           "fast: to the tolerance; reference: to rounding, for small scenes; as printed: the "
           "quadratic program of [auto] with a pyramid, for comparison; gauss-seidel: a hundred "
           "projected sweeps, "
           "for comparison"),
    CONTACTS(NUMBER, "tolerance", tolerance, LB_PURE, LB_POSITIVE, "1e-6",
             "of the fast solver: velocities that may be left, over those into contacts"),
    CONTACTS(NUMBER, "margin", margin, LB_LENGTH, LB_NOT_NEGATIVE, "0 m",
             "shapes this near are seen before they touch, however slow they are"),
    LB_SIZED(COUNT, lb_scene_contacts, "most", most, LB_PURE, LB_NOT_NEGATIVE, "0",
             "contact points there may be at once; 0: by the number of shapes"),
    LB_LIST(lb_scene_contacts, "pairs", pair, npair, &pair_table, "none",
            "exceptions for two bodies or groups; later ones win"),
};

static const lb_key_rule law_rules[] = {
    {"stiffness", 1u << LB_CONTACT_COMPLIANT,
     "'stiffness' is of the compliant law (add 'law: compliant', or take it away)"},
    {"damping", 1u << LB_CONTACT_COMPLIANT,
     "'damping' is of the compliant law (add 'law: compliant', or take it away)"}};
static const lb_key_rule friction_rules[] = {
    {"friction_damping", 1u << LB_FRICTION_VISCOUS,
     "'friction_damping' is of viscous friction (add 'friction: viscous', or take it away)"}};
static const lb_key_rule solver_rules[] = {
    {"tolerance", 1u << LB_CONTACT_FAST, "'tolerance' is of the fast solver (take it away)"}};

// Keys that only another choice listens to are mistakes, not to be passed over.
static bool finish_contacts(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_contacts* contacts = part;
  const struct {
    const lb_key_rule* rule;
    int count, chosen;
  } of[] = {{law_rules, LB_COUNT_OF(law_rules), (int)contacts->law},
            {friction_rules, LB_COUNT_OF(friction_rules), (int)contacts->friction},
            {solver_rules, LB_COUNT_OF(solver_rules), (int)contacts->solver}};
  contacts->on = true;
  contacts->place = node->place;
  for (int i = 0; i < LB_COUNT_OF(of); i++) {
    ok &= lb_keys_hold(r, node, of[i].rule, of[i].count, of[i].chosen);
  }
  return ok;
}

const lb_table lb_contacts_table =
    LB_TABLE("contacts", lb_scene_contacts, contact_fields, .finish = finish_contacts);

const char* lb_contact_method_name(lb_contact_method method) {
  return solver_names[method];
}

// --- checking ---

bool lb_scene_contact_fits(const lb_scene_body* body, const char* name) {
  return strcmp(name, "all") == 0 || strcmp(body->name, name) == 0 ||
         (body->group && strcmp(body->group, name) == 0);
}

// Whether one of a scene's names is what is wanted; each is offered as what may be meant.
static bool is_known(const lb_scene* s, const char* wanted, lb_nearest* nearest) {
  bool known = strcmp(wanted, "world") == 0 || strcmp(wanted, "all") == 0;
  for (int i = 0; i < s->nbody && !known; i++) {
    const lb_scene_body* body = &s->body[i];
    known = lb_scene_contact_fits(body, wanted);
    lb_nearest_offer(nearest, body->name);
    lb_nearest_offer(nearest, body->group ? body->group : body->name);
  }
  for (int i = 0; i < s->nrope && !known; i++) {
    known = strcmp(s->rope[i].name, wanted) == 0;
    lb_nearest_offer(nearest, s->rope[i].name);
  }
  for (int i = 0; i < s->ndeformable && !known; i++) {
    known = strcmp(s->deformable[i].name, wanted) == 0;
    lb_nearest_offer(nearest, s->deformable[i].name);
  }
  return known;
}

// Names that could not be read are missing, and were reported.
static void check_names(lb_checker* c, const lb_scene_contact_pair* pair) {
  for (int k = 0; k < 2; k++) {
    const char* name = pair->between[k];
    if (!name && pair->place.line == 0) {
      LB_SAY(c, pair->place, "contacts: a pair needs two names");
    }
    lb_nearest nearest = lb_nearest_to(name ? name : "");
    lb_nearest_offer(&nearest, "world");
    lb_nearest_offer(&nearest, "all");
    if (name && !is_known(c->s, name, &nearest)) {
      LB_SAY(c, pair->place,
             "contacts: there is no body, group, rope or deformable '%.64s' (%s%.64s%s)", name,
             nearest.best ? "did you mean '" : "bodies have a 'group'",
             nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
    }
  }
}

// The program of [auto] has contacts with pyramids of friction, and constraints.
static void check_printed(lb_checker* c) {
  const lb_scene* s = c->s;
  const char* extra = NULL;
  for (int i = 0; i < s->nshape; i++) {
    const int material = s->shape[i].material;
    const lb_contact_surface* m = material >= 0 ? &s->material[material].surface : NULL;
    const bool rolls = m && (m->rolling > 0 || m->spinning > 0);
    extra = rolls && s->shape[i].solid ? "rolling and spinning friction" : extra;
  }
  for (int i = 0; i < s->contacts.npair; i++) {
    const lb_contact_surface* m = &s->contacts.pair[i].surface;
    extra = m->rolling > 0 || m->spinning > 0 ? "rolling and spinning friction" : extra;
  }
  for (int i = 0; i < s->nmotor; i++) {
    extra = s->motor[i].drive == LB_DRIVE_SERVO ? "servos" : extra;
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* k = &s->constraint[i];
    const bool stop = lb_constraint_is_unilateral(k) && k->compliance[0].stiffness > 0;
    extra = stop ? "stops that yield" : extra;
  }
  if (s->contacts.solver == LB_CONTACT_AS_PRINTED && extra) {
    LB_SAY(
        c, s->contacts.place,
        "contacts: the program of 'solver: as printed' knows no %s (take another solver, or take "
        "them away)",
        extra);
  }
}

void lb_check_contacts(lb_checker* c) {
  const lb_scene_contacts* contacts = &c->s->contacts;
  if (!contacts->on) {
    return;
  }
  lb_look_at(c, contacts->place, "contacts");
  lb_check_fields(c, &lb_contacts_table, contacts);
  for (int i = 0; i < contacts->npair; i++) {
    check_names(c, &contacts->pair[i]);
  }
  check_printed(c);
  const lb_integrator by = c->s->solver.integrator;
  const lb_method method = lb_integrator_method(by);
  if (by != LB_INTEGRATOR_EULER && (method == LB_METHOD_EXPLICIT || method == LB_METHOD_ADAPTIVE)) {
    LB_SAY(c, contacts->place,
           "contacts: %s cannot step through impacts (choose 'integrator: linear-euler', euler, "
           "bdf1, bdf2 or sdirk2)",
           lb_integrator_name(by));
  }
  if (c->s->retarget.ntrack > 0) {
    LB_SAY(c, contacts->place,
           "contacts: 'retarget' has no gradients through contacts (take one of them away)");
  }
  if (c->s->optimize.nparameter > 0 && method != LB_METHOD_LINEAR && by != LB_INTEGRATOR_EULER) {
    LB_SAY(c, contacts->place,
           "contacts: steps of %s have no gradients through contacts, which 'optimize' needs "
           "(choose 'integrator: linear-euler' or euler)",
           lb_integrator_name(by));
  }
}
