// The tables of what is neither rigid nor a body of its own: ropes and deformables.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const lb_field rope_point_fields[] = {
    {"body", LB_VALUE_BODY, offsetof(lb_rope_point_spec, body), LB_PURE, LB_ANY, false, NULL,
     "world", "what it is fastened to, a rigid body or world"},
    {"at", LB_VALUE_VECTOR, offsetof(lb_rope_point_spec, at), LB_LENGTH, LB_ANY, false, NULL,
     "[0, 0, 0]", "where, in that body"},
    {"free", LB_VALUE_FLAG, offsetof(lb_rope_point_spec, free), LB_PURE, LB_ANY, false, NULL,
     "false", "true: it is fastened to nothing, and only starts there, in the world"},
};
const lb_table lb_rope_point_table = TABLE("point of a strand", rope_point_fields);

#define ROPE(member) offsetof(lb_rope_spec, member)
static const lb_field rope_fields[] = {
    {"through", LB_VALUE_LIST, ROPE(through), LB_PURE, LB_ANY, true, &lb_rope_point_table, NULL,
     "the points it runs through, in order: {body: ..., at: [...]}, or {free: true, at: [...]}"},
    {"segments", LB_VALUE_COUNT, ROPE(segments), LB_PURE, LB_POSITIVE, false, NULL,
     "10 between two points",
     "how many springs it is made of, spread over the ways between the points by their lengths"},
    {"mass", LB_VALUE_NUMBER, ROPE(mass), LB_MASS, LB_POSITIVE, true, NULL, NULL,
     "what all of it weighs"},
    {"stiffness", LB_VALUE_NUMBER, ROPE(stiffness), LB_FORCE, LB_NOT_NEGATIVE, true, NULL, NULL,
     "the force that would make it twice as long: modulus times area of its section"},
    {"damping", LB_VALUE_NUMBER, ROPE(damping), LB_TIME, LB_NOT_NEGATIVE, false, NULL, "0 s",
     "share of the stiffness that resists being stretched: damps fast vibration"},
    {"drag", LB_VALUE_NUMBER, ROPE(drag), LB_PURE, LB_NOT_NEGATIVE, false, NULL, "0",
     "share of the mass, per second, that resists moving through the world"},
    {"slack", LB_VALUE_NUMBER, ROPE(slack), LB_PURE, LB_POSITIVE, false, NULL, "1",
     "its length when nothing pulls on it, over that at the start"},
    {"pushes", LB_VALUE_FLAG, ROPE(pushes), LB_PURE, LB_ANY, false, NULL, "false",
     "true: its springs push where they are shorter than that; else it goes slack"},
    {"radius", LB_VALUE_NUMBER, ROPE(radius), LB_LENGTH, LB_POSITIVE, false, NULL,
     "as springs are drawn", "at which it is drawn"},
    {"material", LB_VALUE_MATERIAL, ROPE(material), LB_PURE, LB_ANY, false, NULL, "dark",
     "what it looks like"},
};
const lb_table lb_rope_table = TABLE("strand", rope_fields);

#define DEFORMABLE(member) offsetof(lb_deformable_spec, member)
static const lb_field deformable_fields[] = {
    {"form", LB_VALUE_TABLE, DEFORMABLE(form), LB_PURE, LB_ANY, true, &lb_elastic_table, NULL,
     "its mesh and material, as an elastic body has them"},
    {"position", LB_VALUE_VECTOR, DEFORMABLE(position), LB_LENGTH, LB_ANY, false, NULL, "[0, 0, 0]",
     "where the mesh starts, in the world"},
    {"rotation", LB_VALUE_ROTATION, DEFORMABLE(rotation), LB_ANGLE, LB_ANY, false, NULL, "none",
     "how it is turned then"},
    {"attach", LB_VALUE_BODIES, DEFORMABLE(attach), LB_PURE, LB_ANY, false, NULL, "nothing",
     "rigid bodies: nodes of the mesh that start inside their shapes are fastened to them"},
    {"within", LB_VALUE_NUMBER, DEFORMABLE(within), LB_LENGTH, LB_NOT_NEGATIVE, false, NULL, "0 m",
     "nodes that start nearer to those shapes than this are fastened, too"},
    {"surface", LB_VALUE_FILE, DEFORMABLE(surface), LB_PURE, LB_ANY, false, NULL, "the mesh's own",
     "an .obj or .stl file in the frame of the mesh that is carried along and drawn instead"},
};
const lb_table lb_deformable_table = TABLE("soft body", deformable_fields);
