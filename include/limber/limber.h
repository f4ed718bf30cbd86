// Everything a program that uses Limber needs.
#pragma once
#include "limber/dynamics.h"
#include "limber/geometry.h"
#include "limber/math.h"
#include "limber/memory.h"
#include "limber/model.h"
#include "limber/profile.h"
#include "limber/progress.h"
#include "limber/recording.h"
#include "limber/scene.h"
#include "limber/simulate.h"
#include "limber/status.h"
#include "limber/version.h"
