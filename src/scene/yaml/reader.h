// A scene in the making. First every file is gathered: settings are read, and the entries of all
// sections are laid side by side. Then the sections are read in an order in which every name that
// can be mentioned is already known.
#pragma once
#include "scene/format/table.h"
#include "scene/yaml/names.h"
#include "scene/yaml/scene_errors.h"

typedef struct lb_entry {
  const lb_yaml* name; // NULL in lists
  const lb_yaml* value;
  const char* folder; // of the file it was written in, for paths
} lb_entry;

typedef struct lb_entries {
  int count, capacity;
  lb_entry* entry;
  lb_names names; // index by name
} lb_entries;

// A file that is being read or was read.
typedef struct lb_source {
  unsigned long device, inode;
  bool open; // its includes are being read: meeting it again is a cycle
} lb_source;

typedef struct lb_reader {
  lb_arena* keep;   // what the scene is made of
  lb_arena scratch; // what only reading needs
  lb_report report;
  bool no_memory;
  bool no_files; // no file may be opened
  int nnote, note_capacity;
  lb_message* note;    // [nnote] for the scene
  const char* asked;   // the subject whose angles were asked about
  const char* subject; // whose keys are being read: "joint 'elbow'"; "" for the file itself
  const char* folder;  // where paths of the entry being read begin: "" or ends in a slash
  lb_scene scene;
  int version;                         // of the format
  bool gathered;                       // some file could be read
  bool incomplete;                     // a model that is included could not be opened
  const lb_yaml* given[LB_SCENE_KEYS]; // what the last file that has a key gives for it
  lb_entries section[LB_SCENE_KEYS];
  long weight; // nodes that repeats made
  int material_capacity, shape_capacity;
  lb_names builtin_used; // index in the scene's materials of built-in ones
  lb_names mesh_names;   // index in `mesh`
  const lb_mesh** mesh;
  int nmesh, mesh_capacity;
  bool* broken[LB_SCENE_KEYS]; // entries with something wrong: no further complaint about them
  int* carrier;                // [nbody] the joint of the tree that carries it, or -1
  const lb_yaml* sets;         // files whose sets the model that is included next has, too; or NULL
  const char* sets_folder;     // where their paths begin
  lb_source* source;
  int nsource, source_capacity, depth;
} lb_reader;

// A repetition of parts.
typedef struct lb_repetition {
  int count, from;
} lb_repetition;

// A rotation written as a mapping.
typedef struct lb_turn {
  lb_vec3 axis;
  double angle;
} lb_turn;

// Dimension of a coordinate, by its unit.
typedef struct lb_joint_measure {
  lb_dimension place, rate, force, stiffness, damping;
} lb_joint_measure;
extern const lb_joint_measure lb_coordinate_measures[]; // by lb_coordinate

// --- complaints ---

// Say what is wrong; the subject comes first. Always false. Without a reader nobody is told.
bool lb_complain(lb_reader* r, lb_place place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// There is no memory left. Always false.
bool lb_lack(lb_reader* r);
// A text made in the scratch arena, "" when there is no memory, or no reader.
const char* lb_compose(lb_reader* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
// "'...' must be WANTED, not what it is". Always false.
bool lb_wrong_kind(lb_reader* r, const lb_yaml* node, const char* key, const char* wanted);
// Say that a name, mentioned as a `what`, does not exist, with the nearest that does. Always false.
bool lb_unknown_name(lb_reader* r, const lb_yaml* node, const char* what, const lb_names* names);
// " (did you mean 'x'?)" of one of these names, or all of them: " (LEAD a, b LAST c)".
const char* lb_hint(lb_reader* r, const char* wanted, const char* const* name, int count,
                    const char* lead, const char* last);
// " (did you mean 'x'?)" or "".
const char* lb_did_you_mean(lb_reader* r, const lb_nearest* nearest);
// Node in words: its text in quotes, or "a list", "a mapping", "nothing".
const char* lb_shown(lb_reader* r, const lb_yaml* node);
// "a, b or c", where `last` is " or ".
const char* lb_join(lb_reader* r, const char* last, const char* const* name, int count);

// A note to the author of what is not wrong.
void lb_remark(lb_reader* r, lb_place place, const char* what);
// --- values ---

// Call keys by their present names; authors who wrote former ones are told.
void lb_rename_keys(lb_reader* r, const lb_yaml* node, const lb_table* table);
// Fill the struct behind `out` from a mapping, by a table; what is not given stays as it is. All
// keys are tried; false when any was wrong.
bool lb_read_table(lb_reader* r, const lb_yaml* node, const lb_table* table, void* out);
// Part of something: `where` says whose it is, as "spring of joint 'elbow'".
bool lb_read_part(lb_reader* r, const lb_yaml* node, const char* where, const lb_table* table,
                  void* out);
// Keys that the choice of this number has not are reported. False when there are any.
bool lb_keys_hold(lb_reader* r, const lb_yaml* node, const lb_key_rule* rule, int count,
                  int chosen);
// Value behind one key, by the row of a table.
bool lb_read_value(lb_reader* r, const lb_yaml* node, const lb_field* field, void* out);
// Every item of a list by a table, to an array that the scene keeps. False when any was wrong.
bool lb_read_list(lb_reader* r, const lb_yaml* list, const lb_table* table, void** array,
                  int* count);
// Every item of a list by a row, to an array of values of that size; NULL when any was wrong.
void* lb_read_array(lb_reader* r, const lb_yaml* list, const lb_field* field, size_t size);
// A list of pairs whose first numbers rise, to an array of these and one of what follows them.
typedef struct lb_pairs {
  const char *item,
      *firsts;      // one pair, and all first numbers, in words: "a key", "times of 'keys'"
  const char* unit; // of the first, for messages
  lb_field first, second;
  size_t size;         // of a second
  const char* example; // of a second
} lb_pairs;
bool lb_read_pairs(lb_reader* r, const lb_yaml* list, const lb_pairs* of, double** first,
                   void** second);
bool lb_read_number(lb_reader* r, const lb_yaml* node, const char* key, lb_dimension dimension,
                    lb_range range, double* out);
// Number of doubles of a value; 0: it is no number.
int lb_count_numbers(lb_value value);
// Exactly or, when `least` differs, between `least` and `most` numbers; their count, or -1.
int lb_read_numbers(lb_reader* r, const lb_yaml* node, const lb_field* field, int least, int most,
                    double* out);

// --- files ---

// The path that is written here, as seen from the folder of the present entry; NULL when its file
// cannot be opened, which is reported.
const char* lb_find_file(lb_reader* r, const lb_yaml* mention);
// All of such a file, into scratch memory; its path stays.
bool lb_load_mentioned(lb_reader* r, const lb_yaml* mention, const char** path, char** text,
                       size_t* length);
// Read a file and what it includes; `mention` is where it was asked for, or NULL.
bool lb_gather_file(lb_reader* r, const char* path, const lb_yaml* mention);
bool lb_gather_text(lb_reader* r, const char* text, size_t length, const char* path);
// Put the motors of a file in the place of those with the same names.
bool lb_gather_motors(lb_reader* r, const char* path);
// Put a value from outside, "PATH=VALUE", into what was gathered.
bool lb_set_value(lb_reader* r, const char* text);
// The node at such a PATH, or NULL.
const lb_yaml* lb_find_value(lb_reader* r, const char* path);
// Add the entries that a repetition makes.
bool lb_gather_repeat(lb_reader* r, const lb_yaml* list);
// Add the entries of sections, given by their LB_SCENE_ numbers.
bool lb_gather_sections(lb_reader* r, const lb_yaml* const* section);

// --- sections ---

void lb_read_sections(lb_reader* r);
// Value of a setting's key in the last file that has it, or NULL.
const lb_yaml* lb_given(const lb_reader* r, int setting, const char* key);
// Value of a setting's key, a mapping from names; others are reported already.
const lb_yaml* lb_given_map(const lb_reader* r, int setting, const char* key);
void lb_read_scenery(lb_reader* r);
void lb_read_joints(lb_reader* r);
void lb_read_profiles(lb_reader* r);
// Linkages, and the entries that are made of them.
void lb_read_linkages(lb_reader* r);
// Joints of linkages start where their cranks, as motors and authors have them, put them.
void lb_start_linkages(lb_reader* r);
// Is it known what the coordinates of a joint are? Else that has been reported.
bool lb_joint_is_known(const lb_reader* r, int joint);
// All coordinates of a joint (NULL: of a point), each by what it measures, or their rates. One
// alone may be written as a number.
bool lb_read_coordinates(lb_reader* r, const lb_scene_joint* joint, const lb_yaml* node,
                         const char* key, bool rate, double* out);
void lb_read_initial(lb_reader* r);
void lb_read_fit(lb_reader* r);
void lb_read_opensim(lb_reader* r);
void lb_read_retarget(lb_reader* r);
void lb_read_optimize(lb_reader* r);
void lb_read_collocate(lb_reader* r);
// Turn to the next entry: its name becomes the subject. False when the name is no good.
bool lb_begin_entry(lb_reader* r, const lb_entry* entry, const char* word);
// An entry's name, for the scene to keep; "" when there is no memory.
const char* lb_keep_name(lb_reader* r, const lb_entry* entry);
// The index of a material, built in or the author's own; -1 when unknown.
int lb_find_material(lb_reader* r, const char* name);
const lb_scene_material* lb_builtin_material(const char* name);
extern const lb_scene_material lb_builtin_materials[];
extern const int lb_builtin_material_count;

// The shapes' keys to a shape of `body`. False when something is wrong.
bool lb_read_shape(lb_reader* r, const lb_yaml* node, int body, int material);
// What another room added to the caller's list is a mistake of the scene, too. False when it is
// one.
bool lb_note(lb_reader* r, lb_status status);
// An elastic form whose keys are read, and its files; NULL when something is wrong.
const lb_scene_elastic* lb_finish_elastic(lb_reader* r, const lb_yaml* node,
                                          const lb_scene_elastic* read);
// A point of an elastic body is the middle of its face, unless it says where.
bool lb_at_middle(const lb_reader* r, int body, const lb_yaml* written);
// Force curve by the keys of a spring: what it is called there, what its table has, and whether
// there must be one.
typedef struct lb_force_curve_keys {
  const char *stiffness, *exponent, *table;
  lb_dimension stretch, force;
  bool required;
} lb_force_curve_keys;
// Check what `whole` has of it, and read its table; its exponent is read.
bool lb_read_force_curve(lb_reader* r, const lb_yaml* whole, const lb_force_curve_keys* keys,
                         lb_force_curve* force_curve);
// Joint that does by plain numbers what one with quaternions does, with its article.
const char* lb_joint_by_numbers(const lb_scene_joint* joint);
// Keys, rates or a spline among the keys of a part to a profile whose values measure `dimension`
// and whose ease and period are read; neither: count 0.
bool lb_read_profile(lb_reader* r, const lb_yaml* part, lb_dimension dimension,
                     lb_profile_definition* out);
// Profile whose values are rotations [count].
bool lb_read_turning(lb_reader* r, const lb_yaml* part, lb_profile_definition* out,
                     lb_quat** rotation);
// The world's axes named by a text such as "xz"; false when it is none.
bool lb_read_letters(const char* text, bool along[3]);

// --- the whole ---

// lb_scene_check() for a scene that is being read: broken parts are passed over.
void lb_scene_examine(const lb_scene* scene, lb_report* report, bool* const* broken,
                      lb_arena* scratch, bool* no_memory);

// lb_scene_parse() that opens no file: what includes and meshes get is an error.
lb_status lb_scene_parse_alone(const char* text, size_t length, const char* name,
                               const lb_allocator* allocator, lb_scene* scene, lb_error* err);
