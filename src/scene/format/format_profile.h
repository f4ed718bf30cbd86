// Keys that everything that follows a function of time has.
#pragma once
#include "scene/format/format.h"

#define PROFILE(type, member) offsetof(type, profile) + offsetof(lb_profile_spec, member)
#define PROFILE_COMMON(type)                                                                       \
  {"ease",                                                                                         \
   LB_VALUE_CHOICE,                                                                                \
   PROFILE(type, ease),                                                                            \
   LB_PURE,                                                                                        \
   LB_ANY,                                                                                         \
   false,                                                                                          \
   &lb_ease_choices,                                                                               \
   "smooth",                                                                                       \
   "smooth rests at every key, cubic flows through them, linear goes straight"},                   \
      {"spline",         LB_VALUE_TABLE, PROFILE(type, spline),       LB_PURE, LB_ANY, false,      \
       &lb_spline_table, "none",         "a B-spline instead of keys"},                            \
  {                                                                                                \
    "repeat", LB_VALUE_NUMBER, PROFILE(type, repeat), LB_TIME, LB_POSITIVE, false, NULL, "never",  \
        "start over after this time"                                                               \
  }
