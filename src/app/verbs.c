// The table of verbs.
#include "app/template.h"
#include "app/verb.h"
#include "app/verb_bits.h"

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
         "with however many threads. Ctrl-C stops a long run and keeps what was done.\n"
         "A ForwardTool of OpenSim's (.xml) may stand in place of the scene: it names model, "
         "start,\n"
         "controls, measured forces and times.",
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
     .usage = "SCENE MARKERS [--tasks FILE] [--out DIR]",
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
         "  report.html, scene.glb, summary.json as other verbs do\n"
         "An InverseKinematicsTool of OpenSim's (.xml) may stand in place of both.",
     .example = "  limber ik scenes/robot-arm.yaml markers.csv --out out/pose\n"
                "  limber inverse scenes/robot-arm.yaml out/pose/trajectory.csv --cutoff 6",
     .exits = "  0    done\n"
              "  1    the poses could not be found or written\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
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
         "point NAME.px, .py, .pz of the world, with a moment NAME.mx, .my, .mz. An\n"
         "InverseDynamicsTool or AnalyzeTool of OpenSim's (.xml) may stand in place of SCENE and\n"
         "MOTION; its cut-off comes with OpenSim's filter.",
     .example = "  limber simulate scenes/robot-arm.yaml --out out/arm\n"
                "  limber inverse scenes/robot-arm.yaml out/arm/trajectory.csv --out out/forces",
     .exits = "  0    done\n"
              "  1    the forces could not be found or written\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 2},
    {.name = "analyse",
     .bit = ANALYSE,
     .usage =
         "MODEL MARKERS [FORCES] [--tasks FILE] [--cutoff HZ] [--passive] [--elastic] [--out DIR]",
     .summary = "from markers and measured forces to muscles and joint loads, in one report",
     .about =
         "Takes a model with muscles, such as a .osim, the markers of a recorded motion (.trc or "
         "a\n"
         "table), and the forces that were measured with it (ExternalLoads of OpenSim's, or a\n"
         "table). Finds the joints' coordinates, the moments that they need, the muscles that "
         "exert\n"
         "these with the least effort, and what passes through the joints. Writes into the folder\n"
         "DIR:\n"
         "  report.html        the motion, muscles coloured by activation, and all curves\n"
         "  coordinates.sto    joint coordinates       inverse.sto        joint moments\n"
         "  lengths.sto        muscle lengths          arms.sto           moment arms\n"
         "  activations.sto    activations             muscle_forces.sto  tensions\n"
         "  reserves.sto       what muscles leave      joint_loads.sto    loads of the joints\n"
         "  markers.csv, scene.glb, summary.json as other verbs do\n"
         "The motion is filtered at 6 Hz unless --cutoff says otherwise.",
     .example = "  limber analyse subject.osim walk.trc grf.xml --tasks tasks.xml --out out/walk",
     .exits = "  0    done\n"
              "  1    something could not be found or written; the message says what\n"
              "  2    a mistake in a file or on the command line\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 3},
    {.name = "muscle lengths",
     .bit = LENGTHS,
     .usage = "SCENE MOTION [--out DIR]",
     .summary = "lengths and moment arms of muscles along a motion",
     .about = "Reads a scene with muscles, or a model of OpenSim, and a motion as 'limber inverse' "
              "does.\n"
              "Writes into the folder DIR:\n"
              "  lengths.sto  length of each muscle's path\n"
              "  arms.sto     its moment arms, -dL/dq, about the coordinates that it turns\n"
              "  report.html, trajectory.csv, scene.glb, summary.json as other verbs do",
     .example = "  limber muscle lengths scenes/parts/arm.osim motion.mot --out out/lengths",
     .exits = "  0    done\n"
              "  1    the lengths could not be found or written\n"
              "  2    a mistake in a file or on the command line, or there are no muscles\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 2},
    {.name = "muscle static",
     .bit = STATIC,
     .usage = "SCENE MOTION [--out DIR] [--forces FILE] [--cutoff HZ] [--passive] [--elastic]",
     .summary = "static optimisation: activations that exert the forces of a motion",
     .about =
         "Finds, moment by moment, the activations with the least sum of squares that exert what\n"
         "'limber inverse' finds. Reserves take what muscles cannot do, and are named. Writes "
         "into\n"
         "the folder DIR:\n"
         "  activations.sto, muscle_forces.sto  of each muscle\n"
         "  reserves.sto                        of each coordinate\n"
         "  joint_loads.sto                     force and moment through each joint\n"
         "  lengths.sto, arms.sto               as 'limber muscle lengths' has them\n"
         "  report.html and the other files of 'limber inverse'",
     .example =
         "  limber muscle static scenes/parts/arm.osim motion.mot --cutoff 6 --out out/static",
     .exits = "  0    done\n"
              "  1    the activations could not be found or written\n"
              "  2    a mistake in a file or on the command line, or there are no muscles\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 2},
    {.name = "muscle report",
     .bit = SHARES,
     .usage = "SCENE MOTION [--out DIR]",
     .summary = "which muscles' inertia matters in a motion",
     .about =
         "Finds how much of each coordinate's inertia is that of each muscle that has mass, along "
         "a\n"
         "motion, and the smallest set of muscles without whose others no inertia changes by 1 %.\n"
         "Where no muscle has mass, those of Hill's type are weighed by the volume of their "
         "fibres.\n"
         "Writes into the folder DIR:\n"
         "  inertia.csv  the largest part, of each muscle and coordinate\n"
         "  report.html and the other files of 'limber muscle lengths'",
     .example = "  limber muscle report scenes/muscle-rat-knee.yaml motion.csv --out out/inertia",
     .exits = "  0    done\n"
              "  1    the inertia could not be found or written\n"
              "  2    a mistake in a file or on the command line, or no muscle has mass\n"
              "  130  interrupted; what was done so far is in DIR",
     .least = 1,
     .most = 2},
    {.name = "muscle train",
     .bit = TRAIN,
     .usage = "[--form NAME] [--layers N] [--width N] [--out DIR] [--resume]",
     .summary = "train a network that places mass points on a cylinder, for comparison",
     .about =
         "Trains a dense network by points of exact paths over cylinders, and writes it into the\n"
         "folder DIR:\n"
         "  network.npz    for 'network' of a wrap in a scene; numpy.load opens it\n"
         "  network.state  while it is not done: what --resume needs\n"
         "Form 'scaled' is good for any size, and trains in minutes: without options it is the\n"
         "network in scenes/networks. Form 'points' is that of the document, for radii of 0.01 to\n"
         "0.2 m and points within 1 m, and trains for hours. The same options give the same "
         "bytes,\n"
         "with however many threads. Ctrl-C stops it and keeps the best so far.",
     .example = "  limber muscle train --out out/network\n"
                "  limber muscle train --form points --layers 6 --width 256 --threshold 0.01",
     .exits = "  0    done\n"
              "  1    the training diverged, or the device failed\n"
              "  2    a mistake on the command line, or DIR cannot be written\n"
              "  130  interrupted; the best so far is in DIR",
     .most = 0,
     .act = train_network},
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
     .usage = "SCENE [MOTION] [--out DIR] [--forces FILE] [--threads N] [--stepwise]",
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
                "  limber track model.osim walk.mot --forces grf.xml --cutoff 6 --threads 2",
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
