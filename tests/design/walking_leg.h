// A trunk with a leg of four bars, driven by a crank, and a tail.
#pragma once

#define LEG_JOINTS                                                                                 \
  "joints:\n"                                                                                      \
  "  stand: {type: free, child: trunk}\n"                                                          \
  "  shaft: {type: revolute, axis: y, parent: trunk, child: crank, at: [10 cm, 0, 0]}\n"           \
  "  pin: {type: revolute, axis: y, parent: crank, child: rod, at: [0, 0, 5 cm]}\n"                \
  "  pivot: {type: revolute, axis: y, parent: trunk, child: foot, at: [30 cm, 0, 0]}\n"            \
  "  end: {type: revolute, axis: y, loop: true, parent: foot, child: rod, at: [0, 0, 15 cm], "     \
  "in_child: [20 cm, 0, 10 cm]}\n"                                                                 \
  "  arm: {type: revolute, axis: y, parent: trunk, child: tail, at: [-28 cm, 0, -18.2 cm]}\n"
