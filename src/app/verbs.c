// The tables of verbs and of options, and how the text of an option is read.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/template.h"
#include "app/verb.h"
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
static const option_type METHOD = {.read = read_method, .expected = "gauss-newton, lbfgs or bfgs"};

// --- options ---

enum {
  SIMULATE = 1,
  REDUCE = 2,
  FIT = 4,
  INVERSE = 8,
  RETARGET = 16,
  REPLAY = 32,
  OPTIMIZE = 64,
  CHECK = 128,
  SWEEP = 256,
  NEW = 512,
  EXAMPLES = 1024,
  VIEW = 2048,
  COMPARE = 4096,
  FORK = 8192,
  IK = 16384,
  CONVERT = 32768,
  TRACK = 65536,
  FILMED = SIMULATE | RETARGET | REPLAY | OPTIMIZE | INVERSE | FIT | FORK | IK | TRACK,
  WRITERS = SIMULATE | REDUCE | FIT | INVERSE | RETARGET | OPTIMIZE | SWEEP | FORK | IK | TRACK
};

#define AT(field) offsetof(verb_args, field)
static const option OPTIONS[] = {
    {"--from", NULL, "DIR", &NAME, AT(o.from), REPLAY,
     "folder of 'limber retarget' with the curves, in profiles.yaml (default: out/NAME)"},
    {"--out", "-o", "DIR", &NAME, AT(o.out), (WRITERS & ~SWEEP) | CONVERT,
     "folder for the results, made if missing (default: out/NAME for NAME.yaml)"},
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
     SIMULATE | REDUCE | FIT | RETARGET | REPLAY | TRACK,
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
    {"--forces", NULL, "FILE", &NAME, AT(o.forces), INVERSE,
     "table of measured forces on bodies, as from force plates"},
    {"--cutoff", NULL, "HZ", &FREQUENCY, AT(o.cutoff), INVERSE | TRACK,
     "low-pass filter on the motion, without delay (default: none)"},
    {"--force-cutoff", NULL, "HZ", &FREQUENCY, AT(o.force_cutoff), INVERSE,
     "the same on the forces (default: none)"},
    {"--filter", NULL, "NAME", &FILTER, AT(o.filter), INVERSE | TRACK,
     "opensim: filter and rates as OpenSim's tools have them, to compare with (default: limber)"},
    {"--begin", NULL, "TIME", &MOMENT, AT(o.begin), TRACK,
     "where in the motion to begin (default: its first sample)"},
    {"--end", NULL, "TIME", &MOMENT, AT(o.end), TRACK,
     "where in the motion to end (default: its last sample)"},
    {"--stepwise", NULL, NULL, NULL, AT(o.stepwise), TRACK,
     "simulate along the motion, and choose excitations before each step: never fails"},
    {"--stiff", NULL, NULL, NULL, AT(o.stiff), TRACK, "let no tendon of the muscles stretch"},
    {"--touch", NULL, "M", &LENGTH, AT(o.touch), INVERSE,
     "gap below which floors and limits are active, in metres or radians (default: 0.1mm)"},
    {"--baseline", NULL, NULL, NULL, AT(o.baseline), RETARGET,
     "compare with what people use today: low-pass filter, ZV and ZVD shapers"},
    {"--verify", NULL, NULL, NULL, AT(o.verify), RETARGET,
     "play the result with every node of elastic bodies too: their bases' error as it is"},
    {"--no-estimate", NULL, NULL, NULL, AT(o.no_estimate), RETARGET,
     "leave out the estimate of that error, from two short runs in richer bases"},
    {"--perturb", NULL, NULL, NULL, AT(o.perturb), RETARGET,
     "play the result with stiffness, damping and mass off by a few per cent, and slow motors"},
    {"--resume", NULL, NULL, NULL, AT(o.resume), RETARGET | OPTIMIZE | TRACK,
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
    {"--quiet", "-q", NULL, NULL, AT(quiet), WRITERS | REPLAY | CHECK | NEW | COMPARE | CONVERT,
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

// --- verbs ---

#define TEMPLATE_LINE(name, symbol, about) "\n  " name ": " about

const verb VERBS[] = {
    {.name = "simulate",
     .bit = SIMULATE,
     .usage = "SCENE [--out DIR] [--duration S] [--step S] [--threads N] [--full]",
     .summary = "run a scene and write numbers, an animation and a report",
     .about =
         "Runs the scene from its start (from standard input when SCENE is -) and writes into the "
         "folder DIR:\n"
         "  report.html     the motion, plots of energy and joints, settings: open it in a "
         "browser\n"
         "  scene.glb       the animated world, for Blender and any glTF viewer\n"
         "  trajectory.csv  time, position and quaternion of each body, joint coordinates,\n"
         "                  forces of motors\n"
         "  summary.json    the figures of the run, for programs\n"
         "The same scene gives the same trajectory.csv, byte for byte, however often it runs and\n"
         "with however many threads. Ctrl-C stops a long run and keeps what was done.",
     .example = "  limber simulate scenes/double-pendulum.yaml --out out/pendulum --duration 5",
     .exits = "  0    done\n"
              "  1    the simulation failed; the message says why and what was kept\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 1},
    {.name = "reduce",
     .bit = REDUCE,
     .usage = "SCENE [--out DIR] [--modes N] [--missed E] [--from RUN]",
     .summary = "make small models of elastic bodies from a run with all their nodes",
     .about =
         "Runs the scene with every node of its elastic bodies' meshes moving, finds the shapes "
         "that\n"
         "matter in that motion (principal components, weighted by mass), and writes into DIR:\n"
         "  BODY.npz      a reduced model of each elastic body, one for bodies alike; numpy.load "
         "opens\n"
         "                it, and what is in it is written in its array 'readme'\n"
         "  summary.json  how well the scene replays with these models, and beside them with "
         "modes\n"
         "                of vibration and their derivatives, as many\n"
         "Use them with 'limber simulate SCENE --basis DIR', in this scene or another with the "
         "same\n"
         "bodies, or name a file in a scene: elastic: {..., basis: {file: BODY.npz}}.",
     .example = "  limber reduce scenes/rod.yaml --out out/rod-basis\n"
                "  limber simulate scenes/rod.yaml --basis out/rod-basis",
     .exits = "  0    done\n"
              "  1    the computation failed; the message says why\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted; with --keep, what was done of the full run is in DIR",
     .least = 1,
     .most = 1},
    {.name = "fork",
     .bit = FORK,
     .usage = "SCENE [--out DIR] [--duration S] [--step S]",
     .summary = "reduce stiff mechanisms to their end effectors",
     .about =
         "Reduces the mechanisms that the scene names under 'fork' to their effectors, about the\n"
         "equilibria it lists there, loops and preload included. Writes into the folder DIR:\n"
         "  compliance.csv  turns and displacements of each effector by unit wrenches on each\n"
         "  NAME.npz        a model: stiffness, damping, mass, and how all links follow; "
         "numpy.load\n"
         "                  opens it, and what is in it is written in its array 'readme'\n"
         "  report.html     principal stiffnesses, and the motion of the reduced mechanism\n"
         "  summary.json    the figures, for programs\n"
         "  scene.glb, trajectory.csv   that motion\n"
         "The first mechanism is also stepped beside the whole one, under the scene's loads, to\n"
         "tell how far the reduced one is off and how much faster it is.",
     .example = "  limber fork scenes/ladder.yaml --out out/ladder",
     .exits = "  0    done\n"
              "  1    a mechanism cannot be reduced: no equilibrium, or no stiffness; the message "
              "says\n"
              "       which joint is the cause\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted",
     .least = 1,
     .most = 1},
    {.name = "fit",
     .bit = FIT,
     .usage = "SCENE MARKERS [--out DIR] [--duration S] [--threads N]",
     .summary = "find Young's modulus and damping from a measured motion",
     .about =
         "Plays the scene again and again with other materials, until its markers move as the\n"
         "measured ones in the table MARKERS (comma-separated: time, NAME.x, NAME.y, NAME.z, ...)\n"
         "do, and says between which bounds the numbers lie. What to find, and where the markers\n"
         "are, stands in the scene under 'fit' and 'markers'; without them it is every elastic\n"
         "body's material, and columns are called by the bodies' names. Writes into the folder "
         "DIR:\n"
         "  fitted.yaml     the numbers found, to put into the scene\n"
         "  report.html     measured and fitted motion: open it in a browser\n"
         "  markers.csv     where the fitted markers are at the times of the samples\n"
         "  summary.json    the figures, for programs\n"
         "  scene.glb, trajectory.csv   the fitted motion\n"
         "Ctrl-C stops the search and keeps the best so far.",
     .example = "  limber fit scenes/rod.yaml markers.csv --out out/fit",
     .exits = "  0    done\n"
              "  1    the markers tell nothing about the numbers, or the scene cannot be run; the\n"
              "       message says why\n"
              "  2    a mistake in the scene, the table or on the command line, or DIR cannot be\n"
              "       written\n"
              "  130  interrupted; the best so far is in DIR",
     .least = 2,
     .most = 2},
    {.name = "ik",
     .bit = IK,
     .usage = "SCENE MARKERS [--out DIR]",
     .summary = "the joints' coordinates of a motion that was measured by markers",
     .about =
         "Finds, sample by sample, the pose of the scene whose markers come nearest to those in\n"
         "the table MARKERS (comma-separated: time, NAME.x, NAME.y, NAME.z, ...). Where markers\n"
         "are on the bodies stands in the scene under 'markers'; without it, columns are called "
         "by\n"
         "the bodies' names. Loops stay closed, and joints within their limits. Writes into the\n"
         "folder DIR:\n"
         "  trajectory.csv  the motion, which 'limber inverse' reads\n"
         "  markers.csv     where the scene has the markers\n"
         "  report.html, scene.glb, summary.json as other verbs do",
     .example = "  limber ik scenes/robot-arm.yaml markers.csv --out out/pose\n"
                "  limber inverse scenes/robot-arm.yaml out/pose/trajectory.csv --cutoff 6",
     .exits = "  0    done\n"
              "  1    the poses could not be found or written\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 2,
     .most = 2},
    {.name = "inverse",
     .bit = INVERSE,
     .usage = "SCENE MOTION [--out DIR] [--forces FILE] [--cutoff HZ]",
     .summary = "the forces that a recorded motion needs, and what passes through the joints",
     .about =
         "Reads a motion: a table with the columns time and NAME.q of every joint (NAME.q0, "
         "NAME.q1\n"
         "and so on of those with several coordinates), in seconds, radians and metres, such as "
         "the\n"
         "trajectory.csv of 'limber simulate'. Finds what the joints must exert for it, besides "
         "the\n"
         "scene's springs, dampers and loads, and writes into the folder DIR:\n"
         "  inverse.csv     NAME.tau of every joint, NAME.force of every motor\n"
         "  reactions.csv   force and moment that every joint passes to the body it carries\n"
         "  report.html, scene.glb, trajectory.csv, summary.json as other verbs do\n"
         "Velocities and accelerations are taken from the columns NAME.qd and NAME.qdd, which\n"
         "'record: {rates: true}' puts there, and else from differences of the coordinates. The\n"
         "table of forces has the columns time, and NAME.fx, .fy, .fz of a body in newtons, at "
         "the\n"
         "point NAME.px, .py, .pz of the world, with a moment NAME.mx, .my, .mz.",
     .example = "  limber simulate scenes/robot-arm.yaml --out out/arm\n"
                "  limber inverse scenes/robot-arm.yaml out/arm/trajectory.csv --out out/forces",
     .exits = "  0    done\n"
              "  1    the forces could not be found or written\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 2,
     .most = 2},
    {.name = "retarget",
     .bit = RETARGET,
     .usage = "SCENE [--out DIR] [--baseline] [--perturb] [--verify] [--resume]",
     .summary = "change motor curves until a flexible character does as it was meant to",
     .about = "Plays the scene's motors infinitely slowly, which shows what its author meant, and\n"
              "then changes their curves until the bodies named under 'retarget' in the scene do\n"
              "the same at full speed, without shaking. Writes into the folder DIR:\n"
              "  profiles.csv    what to send to the motors, at --rate samples a second\n"
              "  profiles.yaml   the same as splines, to put into the scene\n"
              "  report.html     before and after: open it in a browser\n"
              "  summary.json    the figures, for programs\n"
              "  scene.glb       target, before and after in one world, for Blender and others\n"
              "  target.csv, before.csv, after.csv   the motions, for spreadsheets\n"
              "Ctrl-C stops the search and keeps the best so far; so does a kill at any moment.\n"
              "--resume goes on and ends with the same curves as if nothing had happened.",
     .example = "  limber retarget scenes/rod.yaml --out out/rod --baseline --perturb",
     .exits = "  0    done\n"
              "  1    the scene cannot be run, or has no equilibrium; the message says why\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted; the best so far is in DIR",
     .least = 1,
     .most = 1},
    {.name = "replay",
     .bit = REPLAY,
     .usage = "SCENE [--from DIR] [--full] [--out DIR]",
     .summary = "play retargeted curves again, with every node moving if asked to",
     .about =
         "Plays the curves that 'limber retarget' left in a folder, and the scene's own beside\n"
         "them, and tells how far both are from the target. With --full every node of the elastic\n"
         "bodies moves, which shows whether the result holds without the simplifications that the\n"
         "search made. A scene that was changed since, to how its robot was measured, say, shows\n"
         "what the curves do there. Writes the files of 'limber retarget' into the folder --out.\n"
         "Ctrl-C stops it and keeps what was played.",
     .example = "  limber retarget scenes/rod.yaml --out out/rod\n"
                "  limber replay scenes/rod.yaml --from out/rod --full",
     .exits = "  0    done\n"
              "  1    the scene cannot be run, or has no equilibrium; the message says why\n"
              "  2    a mistake in a file or on the command line, or DIR cannot be written\n"
              "  130  interrupted; what was played is in the folder --out",
     .least = 1,
     .most = 1,
     .replays = true},
    {.name = "track",
     .bit = TRACK,
     .usage = "SCENE [MOTION] [--out DIR] [--cutoff HZ] [--threads N] [--stepwise]",
     .summary = "a motion with the forces and excitations that make it: to follow, or to find",
     .about =
         "Finds coordinates, forces of motors and excitations of muscles at all moments of a mesh\n"
         "together, so that the motion obeys its equations. With the table MOTION (as of 'limber\n"
         "inverse', or .mot and .sto of OpenSim's) the motion follows that one. Without, it is "
         "the\n"
         "one that reaches what the scene says under 'collocate' with the least effort or time.\n"
         "Writes into the folder DIR:\n"
         "  trajectory.csv, coordinates.sto  the motion\n"
         "  controls.sto                     forces, torques, excitations and reserves\n"
         "  solution.csv                     all numbers, with which --resume begins\n"
         "  report.html, scene.glb, summary.json as other verbs do",
     .example = "  limber track scenes/collocate-swing-up.yaml --out out/swing\n"
                "  limber track model.osim walk.mot --cutoff 6 --threads 2",
     .exits = "  0    a motion was found\n"
              "  1    none was found, or it could not be written\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; the best so far is in DIR",
     .least = 1,
     .most = 2},
    {.name = "optimize",
     .bit = OPTIMIZE,
     .usage = "SCENE [--out DIR] [--resume]",
     .summary = "find the starts, torques, masses, lengths or stiffnesses that reach goals",
     .about =
         "Changes the numbers that the scene names under 'optimize', 'parameters', until its "
         "motion\n"
         "is as near to the 'goals' there as it gets. Gradients come from the derivative of every\n"
         "step, so that hundreds of numbers cost little more than one. Writes into the folder "
         "DIR:\n"
         "  parameters.csv  the numbers, before and after; 'limber simulate SCENE --parameters "
         "FILE'\n"
         "                  plays them again\n"
         "  report.html     the motion, goals, numbers and how the search went\n"
         "  summary.json    the figures, for programs\n"
         "  scene.glb, trajectory.csv   the motion\n"
         "Ctrl-C stops the search and keeps the best so far; so does a kill at any moment.\n"
         "--resume goes on from there.",
     .example = "  limber optimize scenes/reach.yaml --out out/reach",
     .exits = "  0    done\n"
              "  1    the scene cannot be run with the numbers it has; the message says why\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted; the best so far is in DIR",
     .least = 1,
     .most = 1},
    {.name = "sweep",
     .bit = SWEEP,
     .inside = "sweep",
     .usage = "SCENE --over PATH=FROM:TO:COUNT ... [--set PATH=VALUE] [--jobs N] [--out DIR]",
     .summary = "simulate a scene for many values of its numbers, into one table",
     .about =
         "Simulates the scene for every combination of the values that --over gives to its\n"
         "numbers, as many at a time as there are processors. Writes into the folder DIR:\n"
         "  sweep.csv     a line for each run: the values, energy at the end and its drift,\n"
         "                peaks of motors, and the last line of its trajectory.csv\n"
         "  summary.json  the ranges and how many runs failed, for programs\n"
         "Paths name a number by the keys above it, with dots between: bodies.rod.mass. Lists\n"
         "go by numbers from 0: motors.turn.keys.1.1. Units may follow the numbers.",
     .example =
         "  limber sweep scenes/double-pendulum.yaml --over joints.elbow.damping=0:0.1:11 \\\n"
         "    --over bodies.upper.mass=1kg,2kg,5kg --duration 2",
     .exits = "  0    done, though some runs may have failed\n"
              "  1    all runs failed; the message says why the first did\n"
              "  2    a mistake in the scene or on the command line, or DIR cannot be written\n"
              "  130  interrupted; the runs that were done are in sweep.csv",
     .least = 1,
     .most = 1},
    {.name = "convert",
     .bit = CONVERT,
     .usage = "MODEL.osim [--out DIR]",
     .summary = "turn a model of OpenSim into a scene",
     .about = "Writes the model as Limber reads it, into the folder DIR:\n"
              "  NAME.yaml  the scene; it reads back to the same numbers\n"
              "  scene.glb  how it starts, for Blender and any glTF viewer\n"
              "What cannot be read is named by its element and line. Other verbs take the model\n"
              "itself, and scenes include it by its name.",
     .example = "  limber convert arm26.osim --out out/arm26",
     .exits = "  0    done\n"
              "  2    a mistake in the model or on the command line, or DIR cannot be written",
     .least = 1,
     .most = 1},
    {.name = "check",
     .bit = CHECK,
     .usage = "SCENE...",
     .summary = "read scenes, point out every mistake, say what is in them",
     .about =
         "Reads each scene file and everything it includes, and puts its parts together as a run\n"
         "would, without running it. A scene called - is read from standard input.\n"
         "Mistakes are printed to standard error as 'error: FILE:LINE:COLUMN: what is wrong',\n"
         "all of them at once. A scene without mistakes is described in a few lines.",
     .example = "  limber check scenes/*.yaml",
     .exits = "  0  all scenes are good\n"
              "  1  a check could not be finished, for want of memory\n"
              "  2  a scene has mistakes or cannot be read, or the command line is wrong",
     .least = 1,
     .most = 1 << 20,
     .many = true},
    {.name = "new",
     .bit = NEW,
     .usage = "TEMPLATE [FILE]",
     .summary = "write a small scene with comments, to begin with",
     .about =
         "Writes a scene to FILE (TEMPLATE.yaml when there is none, standard output when it is "
         "-).\nTemplates:" TEMPLATE_LIST(TEMPLATE_LINE),
     .example = "  limber new arm my-robot.yaml\n"
                "  limber simulate my-robot.yaml",
     .exits = "  0  done\n"
              "  1  the file cannot be written\n"
              "  2  there is no such template, or the file is there already",
     .least = 1,
     .most = 2,
     .act = new_scene},
    {.name = "examples",
     .bit = EXAMPLES,
     .usage = "[--json]",
     .summary = "list the scenes that were installed, a line each",
     .about = "Lists the scenes that came with the program and what they show.",
     .example = "  limber examples",
     .exits = "  0  done\n"
              "  1  the scenes are not there",
     .most = 0,
     .act = list_examples},
    {.name = "compare",
     .bit = COMPARE,
     .usage = "A B [options]",
     .summary = "two runs on one page: both motions, and what differs",
     .about =
         "Reads what two runs left in the folders A and B, and writes compare.html: both motions "
         "in\n"
         "one view, their figures side by side, and plots of what differs most, under one cursor.",
     .example = "  limber simulate scenes/rod.yaml --out out/soft\n"
                "  limber simulate scenes/rod.yaml --set materials.spring-steel.young=300GPa --out "
                "out/stiff\n"
                "  limber compare out/soft out/stiff",
     .exits = "  0  done\n"
              "  2  a folder has no results",
     .least = 2,
     .most = 2,
     .act = compare_runs},
    {.name = "view",
     .bit = VIEW,
     .usage = "[DIR]",
     .summary = "open the report of a run in the browser",
     .about = "Opens report.html of the folder DIR, or the newest one below out, with xdg-open.",
     .example = "  limber simulate scenes/dancer.yaml\n"
                "  limber view out/dancer",
     .exits = "  0  done\n"
              "  1  there is nothing to open it with\n"
              "  2  there is no report",
     .most = 1,
     .act = view_report},
};
const int NVERB = sizeof VERBS / sizeof *VERBS;
