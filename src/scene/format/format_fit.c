// The tables of what was measured and what is to be found from it.
#include "scene/format/format.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define TABLE(word, rows)                                                                          \
  { .name = word, .count = COUNT(rows), .field = rows }

static const lb_field marker_fields[] = {
    [LB_MARKER_BODY] = {"body", LB_VALUE_ONE_BODY, offsetof(lb_marker_spec, body), LB_PURE, LB_ANY,
                        true, NULL, NULL, "the body it is on"},
    [LB_MARKER_AT] = {"at", LB_VALUE_VECTOR, offsetof(lb_marker_spec, at), LB_LENGTH, LB_ANY, false,
                      NULL, "the body's origin",
                      "where, in that body; on an elastic one the nearest point of its surface "
                      "leads it"},
};
const lb_table lb_marker_table = TABLE("marker", marker_fields);

#define DAMPING_NAME(code, name) name,
static const char* const damping_names[] = {LB_FIT_DAMPING_LIST(DAMPING_NAME)};
static const lb_choices damping_choices = {COUNT(damping_names), damping_names};

static const lb_field fit_material_fields[] = {
    {"young", LB_VALUE_FLAG, offsetof(lb_fit_material_spec, young), LB_PURE, LB_ANY, false, NULL,
     "true", "whether to find its Young's modulus"},
    {"damping", LB_VALUE_CHOICE, offsetof(lb_fit_material_spec, damping), LB_PURE, LB_ANY, false,
     &damping_choices, "together",
     "which share of its Rayleigh damping to find; together: both in the proportion they have"},
    {"within", LB_VALUE_NUMBER, offsetof(lb_fit_material_spec, within), LB_PURE, LB_POSITIVE, false,
     NULL, "10", "how many times as large or as small as the scene says Young's modulus may be"},
};
const lb_table lb_fit_material_table = TABLE("unknown material", fit_material_fields);

static const lb_field fit_fields[] = {
    {"materials", LB_VALUE_SECTION, offsetof(lb_fit_spec, materials), LB_PURE, LB_ANY, false,
     &lb_fit_material_table, "all that elastic bodies are made of",
     "materials whose numbers are not known, by name"},
    {"clock", LB_VALUE_FLAG, offsetof(lb_fit_spec, clock), LB_PURE, LB_ANY, false, NULL, "false",
     "whether the markers' clock may be off, by up to half a second"},
    {"shift", LB_VALUE_FLAG, offsetof(lb_fit_spec, shift), LB_PURE, LB_ANY, false, NULL, "false",
     "whether the markers' origin may be off, by any distance"},
};
const lb_table lb_fit_table = TABLE("fit", fit_fields);
