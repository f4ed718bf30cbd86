// Worlds in which something hits a stop or lands on a floor, as scenes; one number of most is open.
#pragma once

// A motor prescribes the shoulder; the elbow is pushed, hits its stop and stays there.
#define ARM(COORDINATES)                                                                           \
  "solver: {coordinates: " COORDINATES "}\n"                                                       \
  "bodies:\n"                                                                                      \
  "  upper: {shape: {capsule: {radius: 3 cm, from: [0, 0, 0], to: [0, 0, -0.3]}}, mass: 2}\n"      \
  "  fore: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0, 0.02, -0.3]}}, mass: 1}\n"    \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: y}\n"                                          \
  "  elbow: {type: revolute, parent: upper, child: fore, at: [0, 0, -0.3], axis: y,\n"             \
  "          damping: 0.05}\n"                                                                     \
  "initial: {elbow: {position: 1.37, velocity: 8}}\n"                                              \
  "motors:\n"                                                                                      \
  "  swing: {joint: shoulder, keys: [[0, 0], [0.05, 0.1], [0.2, 0.3]]}\n"                          \
  "  push: {joint: elbow, drive: force, keys: [[0, %.17g], [1, 0.3]]}\n"                           \
  "constraints: {stop: {couple: [{joint: elbow}], at_least: 0, at_most: 1.4}}\n"

#define BOX(POSITION, VELOCITY, ROTATION)                                                          \
  "bodies: {box: {shape: {box: [0.4, 0.3, 0.2]}, mass: 3}}\n"                                      \
  "loads: {wind: {body: box, at: [0, 0, 0.02], force: [0.5, 0.4, 0]}}\n"                           \
  "initial: {box: {position: " POSITION ", velocity: " VELOCITY ", rotation: " ROTATION "}}\n"     \
  "constraints:\n"                                                                                 \
  "  ground:\n"                                                                                    \
  "    floor:\n"                                                                                   \
  "      body: box\n"                                                                              \
  "      points: [{at: [0.2, 0.15, -0.1]}, {at: [-0.2, 0.15, -0.1]},\n"                            \
  "               {at: [0.2, -0.15, -0.1]}, {at: [-0.2, -0.15, -0.1]}]\n"

// One end of a stick hits, the stick turns, the other end hits.
#define STICK                                                                                      \
  "bodies:\n"                                                                                      \
  "  stick:\n"                                                                                     \
  "    {shape: {capsule: {radius: 1 cm, from: [-0.5, 0, 0], to: [0.5, 0, 0]}},\n"                  \
  "     position: [0, 0, 0.03], rotation: {axis: y, angle: 3 deg}}\n"                              \
  "initial: {stick: {velocity: [0.5, 0, -2]}}\n"                                                   \
  "constraints:\n"                                                                                 \
  "  ground: {floor: {body: stick, points: [{at: [0.5, 0, 0]}, {at: [-0.5, 0, 0]}]}}\n"

// A four-bar, closed by a loop with redundant constraints, a gear, and a stop that the crank runs
// into; a bob on the rod goes on swinging.
#define LINKAGE                                                                                    \
  "bodies:\n"                                                                                      \
  "  crank: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.2]}}, mass: 0.4}\n"     \
  "  rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0.5, 0, 0]}}, mass: 0.6}\n"       \
  "  rocker: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, 0.2]}}, mass: 0.5}\n"    \
  "  wheel: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"                                              \
  "  bob: {mass: 0.3, center: [0.02, 0, -0.1], inertia: [0.001, 0.001, 0.001]}\n"                  \
  "joints:\n"                                                                                      \
  "  one: {type: revolute, child: crank, axis: y}\n"                                               \
  "  two: {type: revolute, parent: crank, child: rod, at: [0, 0, 0.2], axis: y}\n"                 \
  "  four: {type: revolute, child: rocker, at: [0.5, 0, 0], axis: y}\n"                            \
  "  three: {type: revolute, parent: rod, child: rocker, at: [0.5, 0, 0],\n"                       \
  "          in_child: [0, 0, 0.2], axis: y, loop: true}\n"                                        \
  "  pin: {type: spherical, parent: rod, child: bob, at: [0.2, 0, 0]}\n"                           \
  "  axle: {type: revolute, child: wheel, at: [0, 1, 0], axis: y}\n"                               \
  "initial: {one: {position: 0.2, velocity: 3}, two: {position: -0.2, velocity: -3},\n"            \
  "          four: {position: 0.2, velocity: 3}, axle: {position: 0.4, velocity: 6}}\n"            \
  "motors: {push: {joint: one, drive: force, keys: [[0, %.17g], [1, 0.3]]}}\n"                     \
  "constraints:\n"                                                                                 \
  "  gear: {couple: [{joint: axle}, {joint: one, times: -2}], equals: 0}\n"                        \
  "  stop: {couple: [{joint: one}], at_most: 0.25}\n"

// A force pulls a slider off its stop, and another one comes to lie.
#define LIFTED                                                                                     \
  "bodies:\n"                                                                                      \
  "  cart: {shape: {box: [0.1, 0.1, 0.1]}, mass: 2}\n"                                             \
  "  arm: {shape: {capsule: {radius: 2 cm, from: [0, 0, 0], to: [0.3, 0, 0]}}, mass: 1}\n"         \
  "joints:\n"                                                                                      \
  "  rail: {type: prismatic, child: cart, axis: z}\n"                                              \
  "  hinge: {type: revolute, parent: cart, child: arm, axis: y}\n"                                 \
  "motors:\n"                                                                                      \
  "  lift: {joint: rail, drive: force, keys: [[0, %.17g], [0.02, 60], [0.05, -200]]}\n"            \
  "constraints:\n"                                                                                 \
  "  low: {couple: [{joint: rail}], at_least: 0}\n"                                                \
  "  stop: {couple: [{joint: hinge}, {joint: rail, times: 0.5}], at_most: 0.022}\n"
