// The nearest valid word to one that was mistyped.
#pragma once

// Make `word` the best suggestion when it is nearer to `typed` than the best so far and near enough
// to be meant. Start with *best NULL.
void suggest_nearer(const char* typed, const char* word, const char** best, int* distance);
