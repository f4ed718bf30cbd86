// Starts of joints, free bodies and muscles.
#include <math.h>
#include <string.h>

#include "scene/part/part.h"

// Coordinates and velocities as a joint has them; the velocity of a free one is written along the
// parent's axes.
#define START(value, key, member, dimension, standard, about)                                      \
  LB_SIZED(value, lb_scene_joint, key, member, dimension, LB_ANY, standard, about)
#define START_FIELDS(name, value, place, rate, standard, words, fast)                              \
  static const lb_field name##_fields[] = {START(value, "position", q, place, standard, words),    \
                                           START(value, "velocity", qd, rate, standard, fast)}

START_FIELDS(hinge, NUMBER, LB_ANGLE, LB_TURN_RATE, "0", "the angle", "how fast it turns");
START_FIELDS(slide, NUMBER, LB_LENGTH, LB_SPEED, "0", "the distance", "how fast it slides");
START_FIELDS(cross, PAIR, LB_ANGLE, LB_TURN_RATE, "[0, 0]",
             "the angles about the first and the second axis", "how fast they turn");
START_FIELDS(planar, PAIR, LB_LENGTH, LB_SPEED, "[0, 0]",
             "the distances along the first and the second axis", "how fast it slides along them");
START_FIELDS(shift, VECTOR, LB_LENGTH, LB_SPEED, "[0, 0, 0]", "the distances",
             "how fast it slides");
START_FIELDS(angles, VECTOR, LB_ANGLE, LB_TURN_RATE, "[0, 0, 0]",
             "the three angles, in their order", "how fast they turn");
START_FIELDS(vector, VECTOR, LB_ANGLE, LB_TURN_RATE, "[0, 0, 0]",
             "the rotation vector: an axis as long as the angle", "its rate");
START_FIELDS(curve, NUMBER, LB_PURE, LB_PURE, "0", "where on the curve",
             "how fast it goes along it");
START_FIELDS(surface, PAIR, LB_PURE, LB_PURE, "[0, 0]", "where on the surface",
             "how fast it goes along it");
#define SEVERAL_FIELDS(name, value)                                                                \
  static const lb_field name##_fields[] = {                                                        \
      LB_LATER(value, "position", NULL, "all zero",                                                \
               "all coordinates in their order, each a length, an angle or a number"),             \
      LB_LATER(value, "velocity", NULL, "all zero", "their rates")}
SEVERAL_FIELDS(several, POINTS);
SEVERAL_FIELDS(parts, MEASURE); // there may be one only
#define START_ROTATION(member)                                                                     \
  START(ROTATION, "rotation", member, LB_ANGLE, "none", "how the child is turned from the parent")
#define START_SPIN                                                                                 \
  START(VECTOR, "spin", qd, LB_TURN_RATE, "[0, 0, 0]", "turning speed about the child's own axes")
static const lb_field ball_fields[] = {START_ROTATION(q[0]), START_SPIN};
static const lb_field free_fields[] = {
    START(VECTOR, "position", q, LB_LENGTH, "[0, 0, 0]",
          "where the child is, in the parent or the world"),
    START_ROTATION(q[3]),
    START(VECTOR, "velocity", qd[3], LB_SPEED, "[0, 0, 0]",
          "of its origin, along the axes of the parent or the world"),
    START_SPIN,
};

// Coordinates of which no row can say what they measure.
static bool finish_several(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_joint* start = part;
  const lb_yaml *place = lb_yaml_find(node, "position"), *rate = lb_yaml_find(node, "velocity");
  return ok && (!place || lb_read_coordinates(r, start, place, "position", false, start->q)) &&
         (!rate || lb_read_coordinates(r, start, rate, "velocity", true, start->qd));
}

#define START_TABLE(word, fields, ...) LB_TABLE(word " joint", lb_scene_joint, fields, __VA_ARGS__)
const lb_table lb_start_table[LB_JOINT_COUNT] = {
    [LB_JOINT_FIXED] = {.name = "fixed joint"},
    [LB_JOINT_REVOLUTE] = START_TABLE("revolute", hinge_fields),
    [LB_JOINT_PRISMATIC] = START_TABLE("prismatic", slide_fields),
    [LB_JOINT_UNIVERSAL] = START_TABLE("universal", cross_fields),
    [LB_JOINT_SPHERICAL] = START_TABLE("spherical", ball_fields),
    [LB_JOINT_FREE] = START_TABLE("free", free_fields),
    [LB_JOINT_PLANAR] = START_TABLE("planar", planar_fields),
    [LB_JOINT_TRANSLATIONAL] = START_TABLE("translational", shift_fields),
    [LB_JOINT_HELICAL] = START_TABLE("helical", hinge_fields),
    [LB_JOINT_EULER] = START_TABLE("euler", angles_fields),
    [LB_JOINT_EXPONENTIAL] = START_TABLE("exponential", vector_fields),
    [LB_JOINT_FREE_2D] = START_TABLE("free-2d", several_fields, .finish = finish_several),
    [LB_JOINT_FREE_3D] = START_TABLE("free-3d", several_fields, .finish = finish_several),
    [LB_JOINT_CURVE] = START_TABLE("spline-curve", curve_fields),
    [LB_JOINT_SURFACE] = START_TABLE("spline-surface", surface_fields),
    [LB_JOINT_ELLIPSOID] = START_TABLE("ellipsoid", angles_fields),
    [LB_JOINT_COMPOSITE] = START_TABLE("composite", parts_fields, .finish = finish_several),
};

// --- what is named ---

// Velocities that a field is about: fields are in this order.
typedef struct range {
  bool rate;
  int first, count;
} range;
static const range free_range[] = {{false, 3, 3}, {false, 0, 3}, {true, 3, 3}, {true, 0, 3}};
static const range other_range[] = {{false, 0, LB_JOINT_MOST_V}, {true, 0, LB_JOINT_MOST_V}};

static void name_start(lb_scene_named* named, const lb_entry* entry, int number,
                       lb_joint_kind kind) {
  const lb_table* table = &lb_start_table[kind];
  const range* of = table->count == LB_COUNT_OF(free_range) ? free_range : other_range;
  named->place = entry->name->place;
  for (int i = 0; i < table->count; i++) {
    const bool given = lb_yaml_find(entry->value, table->field[i].key);
    for (int k = of[i].first; k < of[i].first + of[i].count && given; k++) {
      *(of[i].rate ? &named->v[k] : &named->q[k]) = number;
    }
  }
}

// --- starts ---

// Motors say where what they drive starts: of joints with several coordinates those of the others
// are given here, and theirs are left 0.
static bool motors_leave(lb_reader* r, const lb_entry* entry, int joint,
                         const lb_scene_joint* start) {
  const double* qd = start->qd;
  const int quaternion = lb_joint_quaternion(start);
  const bool turned = fabs(start->q[quaternion > 0 ? quaternion : 0]) != 1 || qd[0] != 0 ||
                      qd[1] != 0 || qd[2] != 0;
  const bool alone = lb_joint_count_v(&r->scene.joint[joint]) == 1;
  for (int i = 0; i < r->scene.nmotor; i++) {
    const lb_scene_motor* m = &r->scene.motor[i];
    const bool drives = m->joint == joint && m->drive == LB_DRIVE_POSITION;
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
    if (drives && !m->rotation && (start->q[m->coordinate] != 0 || start->qd[m->coordinate] != 0)) {
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
  if (!lb_joint_is_known(r, i)) {
    return false;
  }
  if (lb_joint_count_v(joint) == 0) {
    return lb_complain(r, entry->name->place, "a fixed joint cannot move (take this entry away)");
  }
  if (joint->loop) {
    return lb_complain(r, entry->name->place,
                       "the joint closes a loop, and starts where the other joints put it (give "
                       "their starts)");
  }
  lb_scene_joint start = *joint;
  if (!lb_read_table(r, entry->value, &lb_start_table[joint->kind], &start) ||
      !motors_leave(r, entry, i, &start)) {
    return false;
  }
  memcpy(joint->q, start.q, sizeof start.q);
  memcpy(joint->qd, start.qd, sizeof start.qd);
  if (lb_joint_quaternion(joint) == 3) { // velocities are kept along the child's axes
    const lb_quat q = {start.q[3], start.q[4], start.q[5], start.q[6]};
    const lb_vec3 v = lb_vec3_make(start.qd[3], start.qd[4], start.qd[5]);
    const lb_vec3 own = lb_quat_rotate(lb_quat_conjugate(q), v);
    memcpy(joint->qd + 3, (const double[]){own.x, own.y, own.z}, 3 * sizeof(double));
  }
  name_start(&joint->named, entry, number, joint->kind);
  return true;
}

static bool read_body_start(lb_reader* r, const lb_entry* entry, int number, int i) {
  lb_scene_body* body = &r->scene.body[i];
  const lb_vec3 p = body->pose.p;
  const lb_quat q = body->pose.q;
  lb_scene_joint start = {.q = {p.x, p.y, p.z, q.w, q.x, q.y, q.z}};
  if (r->carrier[i] >= 0) {
    return lb_complain(r, entry->name->place,
                       "joint '%s' carries this body (write the joint's name instead)",
                       r->scene.joint[r->carrier[i]].name);
  }
  if (!lb_read_table(r, entry->value, &lb_start_table[LB_JOINT_FREE], &start)) {
    return false;
  }
  body->pose.p = lb_vec3_make(start.q[0], start.q[1], start.q[2]);
  body->pose.q = (lb_quat){start.q[3], start.q[4], start.q[5], start.q[6]};
  body->velocity = lb_vec3_make(start.qd[3], start.qd[4], start.qd[5]);
  body->spin = lb_vec3_make(start.qd[0], start.qd[1], start.qd[2]);
  name_start(&body->named, entry, number, LB_JOINT_FREE);
  return true;
}

// A muscle in which something is wrong is not there.
static void read_muscle_start(lb_reader* r, const lb_entry* entry) {
  for (int i = 0; i < r->scene.nmuscle; i++) {
    lb_scene_muscle* m = &r->scene.muscle[i];
    if (strcmp(m->name, entry->name->text) == 0) {
      lb_read_table(r, entry->value, &lb_muscle_start_table, &m->start);
    }
  }
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
  for (int i = 0; i < r->scene.nmuscle; i++) {
    const char* name = r->scene.muscle[i].name;
    if (lb_names_find(&all, name, -1) < 0) {
      lb_names_add(&all, &r->scratch, name, i);
    }
  }
  r->subject = "initial";
  lb_unknown_name(r, entry->name, "joint, free body or muscle", &all);
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
    } else if (lb_names_find(&r->section[LB_SCENE_MUSCLES].names, entry->name->text, -1) >= 0) {
      read_muscle_start(r, entry);
    } else {
      unknown_start(r, entry);
    }
  }
}
