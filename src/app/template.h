// Scenes to begin with, inside the program: name, symbol of the file, what it is.
#pragma once
#define TEMPLATE_LIST(X)                                                                           \
  X("pendulum", pendulum, "a rod on a hinge")                                                      \
  X("arm", arm, "a robot arm with two motors and a load")                                          \
  X("four-bar", four_bar, "a crank, a coupler and a rocker: a loop")                               \
  X("rod", rod, "a flexible rod on a motor, to be retargeted")                                     \
  X("character", character, "an animatronic with a flexible neck and an arm that waves")
