// What the tables of verbs and options become besides the program: manual pages, completion for
// shells, and the reference in docs/program.md.
#pragma once
#include <stdio.h>

#include "app/verb.h"

// Write all of these into a folder, which must be there.
exit_code write_manual(const char* dir);

// Completion, each for one shell.
void write_bash(FILE* file);
void write_zsh(FILE* file);
void write_fish(FILE* file);
