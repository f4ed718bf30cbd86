// Motors, loads and how it all starts.
#include <math.h>
#include <string.h>

#include "scene/yaml/reader.h"

// --- motors and loads ---

// A unit quaternion, which has one number more than it has rates, is prescribed as a whole.
static bool prescribes_rotation(const lb_reader* r, const lb_motor_spec* spec) {
  const lb_scene_joint* joint = &r->scene.joint[spec->joint];
  return spec->drive == LB_DRIVE_POSITION && lb_joint_count_q(joint) != lb_joint_count_v(joint);
}

// What the motor's profile measures; false when the joint has nothing that it could drive.
static bool motor_measure(lb_reader* r, const lb_motor_spec* spec, lb_dimension* dimension) {
  enum { JOINT, COORDINATE };
  const lb_scene_joint* joint = &r->scene.joint[spec->joint];
  const lb_yaml_node* named = spec->given.node[JOINT];
  const int n = lb_joint_count_v(joint);
  if (n == 0) {
    return lb_complain(r, named->place, "joint '%s' is %s and has nothing that a motor could move",
                       joint->name, lb_joint_kind_name(joint->kind));
  }
  if (spec->coordinate >= n) {
    return lb_complain(r, spec->given.node[COORDINATE]->place,
                       "joint '%s' is %s and has no coordinate %d (%s)", joint->name,
                       lb_joint_kind_name(joint->kind), spec->coordinate,
                       n == 1 ? "its only one is 0" : lb_compose(r, "they are 0 to %d", n - 1));
  }
  if (prescribes_rotation(r, spec) && spec->given.node[COORDINATE]) {
    return lb_complain(r, spec->given.node[COORDINATE]->place,
                       "joint '%s' is %s, whose rotation is driven as a whole (take 'coordinate' "
                       "away and give rotations, take %s, or 'drive: force')",
                       joint->name, lb_joint_kind_name(joint->kind), lb_joint_by_numbers(joint));
  }
  const lb_joint_measure* measure =
      &lb_coordinate_measures[lb_joint_counts(joint, spec->coordinate)];
  *dimension = spec->drive == LB_DRIVE_FORCE ? measure->force : measure->place;
  return true;
}

static bool read_motor(lb_reader* r, const lb_entry* entry, lb_scene_motor* motor) {
  lb_motor_spec spec = {.joint = -1, .drive = LB_DRIVE_POSITION, .profile.spline.degree = 3};
  lb_dimension dimension = LB_PURE;
  bool ok = lb_begin_entry(r, entry, "motor");
  ok &= lb_read_table(r, entry->value, &lb_motor_table, &spec);
  if (spec.joint < 0 || !lb_joint_is_known(r, spec.joint) || !motor_measure(r, &spec, &dimension)) {
    return false;
  }
  *motor = (lb_scene_motor){.name = lb_keep_name(r, entry),
                            .place = entry->name->place,
                            .joint = spec.joint,
                            .coordinate = spec.coordinate,
                            .drive = (lb_motor_drive)spec.drive};
  ok &= prescribes_rotation(r, &spec)
            ? lb_read_turning(r, &spec.profile, &spec.given, &motor->profile, &motor->rotation)
            : lb_read_profile(r, &spec.profile, &spec.given, dimension, &motor->profile);
  if (ok && motor->profile.count == 0) {
    return lb_complain(r, entry->name->place,
                       "'keys' or 'spline' is missing (what the joint is to do)");
  }
  return ok;
}

void lb_read_motors(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_MOTORS];
  r->scene.motor = LB_TAKE(r->keep, lb_scene_motor, all->count);
  if (!r->scene.motor) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nmotor += read_motor(r, &all->entry[i], &r->scene.motor[r->scene.nmotor]);
  }
}

static bool read_load(lb_reader* r, const lb_entry* entry, lb_scene_load* load) {
  lb_load_spec spec = {.body = LB_WORLD, .profile.spline.degree = 3};
  bool ok = lb_begin_entry(r, entry, "load");
  ok &= lb_read_table(r, entry->value, &lb_load_table, &spec);
  *load = (lb_scene_load){.name = lb_keep_name(r, entry),
                          .place = entry->name->place,
                          .body = spec.body,
                          .point = spec.at,
                          .face_name = spec.face,
                          .at_middle = lb_at_middle(r, spec.body, spec.given.whole),
                          .force = spec.force,
                          .torque = spec.torque,
                          .follows = spec.frame == 1};
  return lb_read_profile(r, &spec.profile, &spec.given, LB_PURE, &load->profile) && ok;
}

void lb_read_loads(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_LOADS];
  r->scene.load = LB_TAKE(r->keep, lb_scene_load, all->count);
  if (!r->scene.load) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nload += read_load(r, &all->entry[i], &r->scene.load[r->scene.nload]);
  }
}

// --- starts ---

// The velocity of a free joint is written along the parent's axes and kept along the child's.
static void set_start(lb_scene_joint* joint, const lb_start_spec* start) {
  const lb_quat q = start->rotation;
  const double free_q[] = {
      start->position.x, start->position.y, start->position.z, q.w, q.x, q.y, q.z};
  const lb_vec3 v = lb_quat_rotate(lb_quat_conjugate(q), start->velocity);
  const double free_v[] = {start->spin.x, start->spin.y, start->spin.z, v.x, v.y, v.z};
  switch (joint->kind) {
  case LB_JOINT_SPHERICAL:
    memcpy(joint->q, free_q + 3, 4 * sizeof(double));
    memcpy(joint->qd, free_v, 3 * sizeof(double));
    break;
  case LB_JOINT_FREE:
    memcpy(joint->q, free_q, sizeof free_q);
    memcpy(joint->qd, free_v, sizeof free_v);
    break;
  default: // numbers
    memcpy(joint->q, start->place, sizeof start->place);
    memcpy(joint->qd, start->rate, sizeof start->rate);
    break;
  }
}

// Which velocities what a table says is about: its fields are in this order.
typedef struct part {
  bool rate;
  int first, count;
} part;
enum { FREE_PARTS = 4, OTHER_PARTS = 2 };
static const part free_part[FREE_PARTS] = {
    {false, 3, 3}, {false, 0, 3}, {true, 3, 3}, {true, 0, 3}};
static const part other_part[OTHER_PARTS] = {{false, 0, LB_JOINT_MOST_V},
                                             {true, 0, LB_JOINT_MOST_V}};

static void name_start(lb_scene_named* named, const lb_entry* entry, int number, bool free,
                       const lb_given* given) {
  named->place = entry->name->place;
  for (int i = 0; i < (free ? FREE_PARTS : OTHER_PARTS); i++) {
    const part* p = free ? &free_part[i] : &other_part[i];
    for (int k = p->first; k < p->first + p->count && given->node[i]; k++) {
      *(p->rate ? &named->v[k] : &named->q[k]) = number;
    }
  }
}

static bool read_given(lb_reader* r, const lb_scene_joint* joint, const lb_yaml_node* node,
                       const char* key, bool rate, double* out) {
  return !node || lb_read_coordinates(r, joint, node, key, rate, out);
}

// Motors say where what they drive starts: of joints with several coordinates those of the others
// are given here, and theirs are left 0.
static bool motors_leave(lb_reader* r, const lb_entry* entry, int joint,
                         const lb_start_spec* start) {
  const bool alone = lb_joint_count_v(&r->scene.joint[joint]) == 1;
  for (int i = 0; i < r->scene.nmotor; i++) {
    const lb_scene_motor* m = &r->scene.motor[i];
    const bool drives = m->joint == joint && m->drive == LB_DRIVE_POSITION;
    const bool turned = fabs(start->rotation.w) != 1 || lb_vec3_norm(start->spin) > 0;
    if (drives && m->rotation && turned) {
      return lb_complain(r, entry->name->place,
                         "motor '%s' already says how the joint starts to turn (take 'rotation' "
                         "and 'spin' away)",
                         m->name);
    }
    if (drives && alone) {
      return lb_complain(r, entry->name->place,
                         "motor '%s' already says where the joint starts (take this entry away)",
                         m->name);
    }
    if (drives && (start->place[m->coordinate] != 0 || start->rate[m->coordinate] != 0)) {
      return lb_complain(r, entry->name->place,
                         "motor '%s' already says where coordinate %d of the joint starts (write 0 "
                         "for it)",
                         m->name, m->coordinate);
    }
  }
  return true;
}

static bool read_joint_start(lb_reader* r, const lb_entry* entry, int number, int i) {
  lb_scene_joint* joint = &r->scene.joint[i];
  lb_start_spec start = {.rotation = lb_quat_identity()};
  if (!lb_joint_is_known(r, i)) {
    return false;
  }
  if (joint->kind == LB_JOINT_FIXED) {
    return lb_complain(r, entry->name->place, "a fixed joint cannot move (take this entry away)");
  }
  if (joint->loop) {
    return lb_complain(r, entry->name->place,
                       "the joint closes a loop, and starts where the other joints put it (give "
                       "their starts)");
  }
  if (!lb_read_table(r, entry->value, &lb_start_table[joint->kind], &start) ||
      !read_given(r, joint, start.places, "position", false, start.place) ||
      !read_given(r, joint, start.rates, "velocity", true, start.rate) ||
      !motors_leave(r, entry, i, &start)) {
    return false;
  }
  set_start(joint, &start);
  name_start(&joint->named, entry, number, joint->kind == LB_JOINT_FREE, &start.given);
  return true;
}

static bool read_body_start(lb_reader* r, const lb_entry* entry, int number, int i) {
  lb_scene_body* body = &r->scene.body[i];
  lb_start_spec start = {.position = body->pose.p, .rotation = body->pose.q};
  if (r->carrier[i] >= 0) {
    return lb_complain(r, entry->name->place,
                       "joint '%s' carries this body (write the joint's name instead)",
                       r->scene.joint[r->carrier[i]].name);
  }
  if (!lb_read_table(r, entry->value, &lb_start_table[LB_JOINT_FREE], &start)) {
    return false;
  }
  body->pose = (lb_transform){start.rotation, start.position};
  body->velocity = start.velocity;
  body->spin = start.spin;
  name_start(&body->named, entry, number, true, &start.given);
  return true;
}

// Every name that `initial` may use, for the nearest one.
static void unknown_start(lb_reader* r, const lb_entry* entry) {
  lb_names all = {0};
  for (int i = 0; i < r->scene.njoint; i++) {
    lb_names_add(&all, &r->scratch, r->scene.joint[i].name, i);
  }
  for (int i = 0; i < r->scene.nbody; i++) {
    const char* name = r->scene.body[i].name;
    if (r->carrier[i] < 0 && lb_names_find(&all, name, -1) < 0) {
      lb_names_add(&all, &r->scratch, name, i);
    }
  }
  r->subject = "initial";
  lb_unknown_name(r, entry->name, "joint or free body", &all);
}

void lb_read_initial(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_INITIAL];
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    const lb_entry* entry = &all->entry[i];
    const int joint = lb_names_find(&r->section[LB_SCENE_JOINTS].names, entry->name->text, -1);
    const int body = lb_names_find(&r->section[LB_SCENE_BODIES].names, entry->name->text, -1);
    r->folder = entry->folder;
    r->subject = lb_compose(r, "start of '%.60s'", entry->name->text);
    if (joint >= 0) {
      read_joint_start(r, entry, i + 1, joint);
    } else if (body >= 0) {
      read_body_start(r, entry, i + 1, body);
    } else {
      unknown_start(r, entry);
    }
  }
}
