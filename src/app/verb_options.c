// The table of options, and how the text of an option is read.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb.h"
#include "app/verb_bits.h"
#include "scene/yaml/yaml_number.h"

// --- what options may be ---

static bool read_text(const option_type* self, const char* text, void* target) {
  (void)self;
  *(const char**)target = text;
  return *text != 0;
}

// One more of several, with an '=' in it.
static bool read_change(const option_type* self, const char* text, void* target) {
  option_texts* all = target;
  (void)self;
  if (!strchr(text, '=') || *text == '=' || all->count == MOST_TEXTS) {
    return false;
  }
  all->text[all->count++] = text;
  return true;
}

// A positive number with units as in scenes.
static bool read_quantity(const option_type* self, const char* text, void* target) {
  const char* unit = "";
  double value = 0;
  const bool ok =
      lb_number_read(text, (lb_dimension)self->unit, &value, &unit) == LB_NUMBER_OK && value > 0;
  *(double*)target = value;
  return ok;
}

// In hertz, with or without the word.
static bool read_hertz(const option_type* self, const char* text, void* target) {
  char* end = NULL;
  const double value = strtod(text, &end);
  *(double*)target = value;
  return end != text && (!*end || strcmp(end, "Hz") == 0) && value > 0 && value <= self->most;
}

static bool read_part(const option_type* self, const char* text, void* target) {
  char* end = NULL;
  const double value = strtod(text, &end);
  (void)self;
  *(double*)target = value;
  return end != text && !*end && value > 0 && value < 1;
}

static bool read_whole(const option_type* self, const char* text, void* target) {
  char* end = NULL;
  const double value = (double)strtol(text, &end, 10); // which stops at the largest there is
  const bool ok = end != text && !*end && value >= self->least && value <= self->most;
  *(int*)target = ok ? (int)value : 0;
  return ok;
}

static bool read_bytes(const option_type* self, const char* text, void* target) {
  static const struct {
    const char* name;
    double bytes;
  } UNITS[] = {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
  char* end = NULL;
  const double value = strtod(text, &end);
  for (size_t i = 0; end != text && i < sizeof UNITS / sizeof *UNITS; i++) {
    const double bytes = value * UNITS[i].bytes;
    if (strcmp(end + strspn(end, " "), UNITS[i].name) == 0 && bytes >= 1 && bytes <= self->most) {
      *(size_t*)target = (size_t)bytes;
      return true;
    }
  }
  return false;
}

// A moment of the motion, from its start on.
static bool read_moment(const option_type* self, const char* text, void* target) {
  const char* unit = "";
  double value = 0;
  const bool ok =
      lb_number_read(text, (lb_dimension)self->unit, &value, &unit) == LB_NUMBER_OK && value >= 0;
  *(double*)target = value;
  return ok;
}

static bool read_film(const option_type* self, const char* text, void* target) {
  (void)self;
  *(const char**)target = text;
  return strcmp(text, "mp4") == 0 || strcmp(text, "webm") == 0;
}

static bool read_filter(const option_type* self, const char* text, void* target) {
  (void)self;
  *(const char**)target = text;
  return strcmp(text, "limber") == 0 || strcmp(text, "opensim") == 0;
}

static bool read_form(const option_type* self, const char* text, void* target) {
#define FORM_NAME(code, name) name,
  static const char* const names[] = {LB_NETWORK_FORM_LIST(FORM_NAME)};
  (void)self;
  for (int i = 0; i < LB_FORM_COUNT; i++) {
    if (strcmp(text, names[i]) == 0) {
      *(lb_network_form*)target = (lb_network_form)i;
      return true;
    }
  }
  return false;
}

static bool read_seed(const option_type* self, const char* text, void* target) {
  int value = 0;
  const bool ok = read_whole(self, text, &value);
  *(uint64_t*)target = (uint64_t)value;
  return ok;
}

static bool read_method(const option_type* self, const char* text, void* target) {
  (void)self;
  for (int i = 0; i < LB_RETARGET_METHOD_COUNT; i++) {
    if (strcmp(text, lb_retarget_method_name((lb_retarget_method)i)) == 0) {
      *(lb_retarget_method*)target = (lb_retarget_method)i;
      return true;
    }
  }
  return false;
}

static const option_type NAME = {.read = read_text, .expected = "a name"};
static const option_type CHANGE = {
    .read = read_change,
    .expected = "a path and a value, such as bodies.rod.mass=2 (up to 100 of them)"};
static const option_type SECONDS = {
    .read = read_quantity,
    .unit = LB_TIME,
    .expected =
        "a positive time: seconds, such as 2.5 or 1e-3, or with a unit, such as 2ms or 1min"};
static const option_type LENGTH = {
    .read = read_quantity,
    .unit = LB_LENGTH,
    .expected = "a positive length: metres, such as 0.001, or with a unit, such as 1mm"};
static const option_type RATE = {
    .read = read_hertz,
    .most = 1e6,
    .expected = "a positive number of samples a second, such as 500 or 1000Hz, up to a million"};
static const option_type FREQUENCY = {
    .read = read_hertz,
    .most = 1e6,
    .expected = "a positive frequency in hertz, such as 6 or 20Hz, up to a million"};
static const option_type PART = {.read = read_part,
                                 .expected = "a number between 0 and 1, such as 1e-6"};
static const option_type THREADS = {read_whole, 0, 1, 1024, "a whole number from 1 to 1024"};
static const option_type POWER = {read_whole, 0, 2, 3, "2 or 3"};
static const option_type MODES = {read_whole, 0, 1, 200, "a whole number from 1 to 200"};
static const option_type FRAMES = {read_whole, 0, 10, 100000, "a whole number from 10 to 100000"};
static const option_type BYTES = {
    .read = read_bytes,
    .most = 1e15,
    .expected = "a positive number of bytes, or with a unit, such as 500kB, 64MB or 2GB"};
static const option_type MOMENT = {
    .read = read_moment, .unit = LB_TIME, .expected = "a time, such as 0, 1.5 or 200ms"};
static const option_type FILM = {.read = read_film, .expected = "mp4 or webm"};
static const option_type FILTER = {.read = read_filter, .expected = "limber or opensim"};
static const option_type FORM = {.read = read_form, .expected = "scaled or points"};
static const option_type LAYERS = {read_whole, 0, 1, 15, "a whole number from 1 to 15"};
static const option_type WIDTH = {read_whole, 0, 1, 512, "a whole number from 1 to 512"};
static const option_type MANY = {read_whole, 0, 1, 1e7, "a whole number from 1 to 10000000"};
static const option_type SEED = {read_seed, 0, 1, 2e9, "a whole number from 1 to 2000000000"};
static const option_type METHOD = {.read = read_method, .expected = "gauss-newton, lbfgs or bfgs"};

// --- options ---

#define AT(field) offsetof(verb_args, field)
static const option OPTIONS[] = {
    {"--from", NULL, "DIR", &NAME, AT(o.from), REPLAY,
     "folder of 'limber retarget' with the curves, in profiles.yaml (default: out/NAME)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), (WRITERS & ~SWEEP) | CONVERT,
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), TRAIN,
     "folder for the network, made if missing (default: out/network)"},
    {"--form", NULL, "NAME", &FORM, AT(train.form), TRAIN,
     "scaled, for any size, or points, as the document has it (default: scaled)"},
    {"--layers", NULL, "N", &LAYERS, AT(train.layers), TRAIN,
     "hidden layers (default: 3, or 6 of form points)"},
    {"--width", NULL, "N", &WIDTH, AT(train.width), TRAIN,
     "numbers in each (default: 48, or 256 of form points)"},
    {"--samples", NULL, "N", &MANY, AT(train.samples), TRAIN,
     "points of exact paths to train with (default: 60000, or 30000 of form points)"},
    {"--epochs", NULL, "N", &MANY, AT(train.epochs), TRAIN,
     "how often with all of them (default: 150, or 2000 of form points)"},
    {"--threshold", NULL, "E", &PART, AT(train.threshold), TRAIN,
     "of form points: samples whose wrapped part of the length is less are dropped (default: "
     "0.01)"},
    {"--seed", NULL, "N", &SEED, AT(train.seed), TRAIN, "of weights and samples (default: 1)"},
    {"--device", NULL, "NAME", &NAME, AT(train.device), TRAIN,
     "cpu, or cuda where 'make cuda' built its module (default: cpu)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), COMPARE, "where the page goes (default: out/compare)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), SWEEP,
     "folder for the results, made if missing (default: out/NAME/sweep for NAME.yaml)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), REPLAY,
     "folder for the results, made if missing (default: 'replay' or 'full' in that folder)"},
    {"--set", NULL, "PATH=VALUE", &CHANGE, AT(set), WRITERS | REPLAY | CHECK,
     "another value of the scene, such as bodies.rod.mass=2kg; may be given several times"},
    {"--over", NULL, "RANGE", &CHANGE, AT(over), SWEEP,
     "a number and its values, PATH=FROM:TO:COUNT, with :log behind in equal ratios, or "
     "PATH=A,B,C"},
    {"--jobs", "-j", "N", &THREADS, AT(o.runs), SWEEP,
     "runs at a time; the table is the same for any N (default: one on each processor)"},
    {"--keep", NULL, NULL, NULL, AT(o.keep), SWEEP,
     "write the results of every run as well, into the folders DIR/1, DIR/2 and so on"},
    {"--duration", NULL, "S", &SECONDS, AT(o.duration),
     SIMULATE | REDUCE | FIT | REPLAY | SWEEP | FORK,
     "seconds of motion from the start, or a time such as 2min (default: as the scene says)"},
    {"--step", NULL, "S", &SECONDS, AT(o.step),
     SIMULATE | REDUCE | FIT | RETARGET | REPLAY | SWEEP | FORK | TRACK,
     "time step in seconds, or such as 2ms (default: as the scene says)"},
    {"--threads", NULL, "N", &THREADS, AT(o.threads),
     SIMULATE | REDUCE | FIT | RETARGET | REPLAY | TRACK | TRAIN,
     "threads to compute with; the results are the same for any N (default: 1)"},
    {"--full", NULL, NULL, NULL, AT(o.full), SIMULATE | REPLAY | SWEEP,
     "let every node of the elastic bodies' meshes move, not only a few modes: slow and exact"},
    {"--whole", NULL, NULL, NULL, AT(o.whole), SIMULATE | SWEEP,
     "let all joints of the mechanisms under 'fork' move, not only their effectors"},
    {"--basis", NULL, "DIR", &NAME, AT(o.basis), SIMULATE | SWEEP,
     "take elastic bodies from the files that 'limber reduce' left in this folder"},
    {"--parameters", NULL, "FILE", &NAME, AT(o.parameters), SIMULATE,
     "put the numbers of a parameters.csv that 'limber optimize' left into the scene"},
    {"--modes", NULL, "N", &MODES, AT(o.modes), REDUCE,
     "coordinates of each elastic body (default: as many as it needs, at most 40)"},
    {"--missed", NULL, "E", &PART, AT(o.missed), REDUCE,
     "the part of the displacements, by mass, that its modes may lack (default: 1e-6)"},
    {"--from", NULL, "RUN", &NAME, AT(o.from), REDUCE,
     "folder with the full.npz of an earlier run, instead of running the scene again"},
    {"--keep", NULL, NULL, NULL, AT(o.keep), REDUCE,
     "write full.npz, the run with all nodes, for --from; also when Ctrl-C stops it"},
    {"--attachments", NULL, NULL, NULL, AT(o.attachments), REDUCE,
     "begin each basis with the attachment modes: forces and moments on its faces"},
    {"--frames", NULL, "N", &FRAMES, AT(o.frames), REDUCE,
     "frames of the full run that are looked at, at most (default: 400)"},
    {"--states", NULL, "FILE", &NAME, AT(o.states), SIMULATE,
     "start from a row of this table: coordinates, speeds, and states of muscles"},
    {"--controls", NULL, "FILE", &NAME, AT(o.controls), SIMULATE,
     "excite muscles and actuators by a ControlSet of OpenSim's, or by a table's columns"},
    {"--forces", NULL, "FILE", &NAME, AT(o.forces), (MOTIONS & ~ANALYSE) | TRACK | SIMULATE,
     "measured forces on bodies, as from force plates: a table, or OpenSim's ExternalLoads"},
    {"--tasks", NULL, "FILE", &NAME, AT(o.tasks), IK | ANALYSE,
     "IKTaskSet of OpenSim's: how much each marker counts"},
    {"--scale", NULL, "FILE", &NAME, AT(o.scale), MOTIONS | IK,
     "ScaleTool of OpenSim's: the model in the size of the subject"},
    {"--standing", NULL, "FILE", &NAME, AT(o.still), MOTIONS | IK,
     "markers of a standing trial: bodies get the size that their own markers say"},
    {"--cutoff", NULL, "HZ", &FREQUENCY, AT(o.cutoff), MOTIONS | TRACK,
     "low-pass filter on the motion, without delay (default: none; of analyse 6 Hz)"},
    {"--force-cutoff", NULL, "HZ", &FREQUENCY, AT(o.force_cutoff), MOTIONS | TRACK,
     "the same on the forces (default: none)"},
    {"--filter", NULL, "NAME", &FILTER, AT(o.filter), MOTIONS | TRACK,
     "opensim: filter and rates as OpenSim's tools have them, to compare with (default: limber)"},
    {"--touch", NULL, "M", &LENGTH, AT(o.touch), MOTIONS,
     "gap below which floors and limits are active, in metres or radians (default: 0.1mm)"},
    {"--stepwise", NULL, NULL, NULL, AT(o.stepwise), TRACK,
     "simulate along the motion, and choose excitations before each step: never fails"},
    {"--stiff", NULL, NULL, NULL, AT(o.stiff), TRACK, "let no tendon of the muscles stretch"},
    {"--begin", NULL, "T", &MOMENT, AT(o.begin), MOTIONS | TRACK | IK,
     "leave out samples before this time of the motion (default: none)"},
    {"--end", NULL, "T", &MOMENT, AT(o.end), MOTIONS | TRACK | IK,
     "leave out samples after this time (default: none)"},
    {"--power", NULL, "N", &POWER, AT(o.power), STATIC | ANALYSE,
     "2 or 3: the power of activations whose sum is least (default: 2)"},
    {"--passive", NULL, NULL, NULL, AT(o.passive), STATIC | ANALYSE,
     "count passive forces of fibres, too"},
    {"--elastic", NULL, NULL, NULL, AT(o.elastic), STATIC | ANALYSE,
     "let tendons stretch; passive forces count then (default: stiff, as in OpenSim)"},
    {"--baseline", NULL, NULL, NULL, AT(o.baseline), RETARGET,
     "compare with what people use today: low-pass filter, ZV and ZVD shapers"},
    {"--verify", NULL, NULL, NULL, AT(o.verify), RETARGET,
     "play the result with every node of elastic bodies too: their bases' error as it is"},
    {"--no-estimate", NULL, NULL, NULL, AT(o.no_estimate), RETARGET,
     "leave out the estimate of that error, from two short runs in richer bases"},
    {"--perturb", NULL, NULL, NULL, AT(o.perturb), RETARGET,
     "play the result with stiffness, damping and mass off by a few per cent, and slow motors"},
    {"--resume", NULL, NULL, NULL, AT(o.resume), RETARGET | OPTIMIZE | TRACK | TRAIN,
     "go on with a search that was stopped, from what it left in DIR"},
    {"--picture", NULL, "TIME", &MOMENT, AT(o.picture), FILMED,
     "make picture.png, too, of the motion at that time"},
    {"--film", NULL, "FORMAT", &FILM, AT(o.film), FILMED,
     "make film.mp4 or film.webm, too, with ffmpeg"},
    {"--rate", NULL, "HZ", &RATE, AT(o.rate), RETARGET | REPLAY,
     "samples a second of profiles.csv (default: 1000)"},
    {"--method", NULL, "NAME", &METHOD, AT(o.method), RETARGET,
     "gauss-newton, or to compare with it lbfgs or bfgs, which are slower (default: gauss-newton)"},
    {"--memory", NULL, "SIZE", &BYTES, AT(o.memory), RETARGET,
     "such as 64MB: what the states of a run may take; less costs time (default: 1GB)"},
    {"--models", NULL, NULL, NULL, AT(o.models), CHECK,
     "make the shapes of elastic bodies, too, and say how they swing"},
    {"--linkage", NULL, NULL, NULL, AT(o.linkage), CHECK,
     "say which ways the scene can move, what its loops say twice, how far cranks turn"},
    {"--no-cache", NULL, NULL, NULL, AT(no_cache), WRITERS | REPLAY | CHECK,
     "make elastic bodies anew, and keep none for other runs"},
    {"--force", NULL, NULL, NULL, AT(force), WRITERS | REPLAY | CONVERT,
     "overwrite the results of another scene"},
    {"--force", NULL, NULL, NULL, AT(force), NEW, "overwrite a file"},
    {"--quiet", "-q", NULL, NULL, AT(quiet),
     WRITERS | REPLAY | CHECK | NEW | COMPARE | CONVERT | TRAIN,
     "say nothing unless something is wrong"},
    {"--verbose", "-v", NULL, NULL, AT(verbose), WRITERS | REPLAY | CHECK | CONVERT,
     "say how long reading, running and writing took"},
    {"--json", NULL, NULL, NULL, AT(json), WRITERS | REPLAY | CHECK | EXAMPLES | CONVERT,
     "a line of JSON for each error, warning and result, for programs to read"},
};

const option* verb_option(const verb* v, int i) {
  for (size_t k = 0; k < sizeof OPTIONS / sizeof *OPTIONS; k++) {
    if (OPTIONS[k].of & v->bit && i-- == 0) {
      return &OPTIONS[k];
    }
  }
  return NULL;
}
