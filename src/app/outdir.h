// The folders that jobs write into.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// "out/NAME" for a scene file "some/where/NAME.yaml"; "out/stdin" for "-"; a folder inside it
// unless NULL.
void outdir_default(const char* scene, const char* inside, char* out, size_t size);

// Where elastic bodies are kept for other runs: $XDG_CACHE_HOME/limber, else ~/.cache/limber; NULL
// where there is neither. The text is in `out`.
const char* cache_default(char* out, size_t size);

// Try to write in a folder that a job holds, so that a long one does not find out at its end.
// Results of another scene, or of a search by another job, are in the way, unless `force`. Tells
// what is wrong and returns false when that fails.
bool outdir_prepare(const char* dir, const char* scene, const char* job, bool force);
