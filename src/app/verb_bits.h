// Bits of the verbs, by which options say whose they are.
#pragma once

enum {
  SIMULATE = 1,
  REDUCE = 1 << 1,
  FIT = 1 << 2,
  INVERSE = 1 << 3,
  RETARGET = 1 << 4,
  REPLAY = 1 << 5,
  OPTIMIZE = 1 << 6,
  CHECK = 1 << 7,
  SWEEP = 1 << 8,
  NEW = 1 << 9,
  EXAMPLES = 1 << 10,
  VIEW = 1 << 11,
  COMPARE = 1 << 12,
  FORK = 1 << 13,
  IK = 1 << 14,
  CONVERT = 1 << 15,
  LENGTHS = 1 << 16,
  STATIC = 1 << 17,
  SHARES = 1 << 18,
  ANALYSE = 1 << 19,
  TRACK = 1 << 20,
  MOTIONS = INVERSE | LENGTHS | STATIC | SHARES | ANALYSE, // what a recorded motion is read for
  FILMED = SIMULATE | RETARGET | REPLAY | OPTIMIZE | FIT | FORK | IK | TRACK | MOTIONS,
  WRITERS = SIMULATE | REDUCE | FIT | RETARGET | OPTIMIZE | SWEEP | FORK | IK | TRACK | MOTIONS
};
