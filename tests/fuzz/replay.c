// Feeds every file of the folders named on the command line to a fuzz target, so that the corpus is
// a test with any compiler.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The file's bytes in a block of exactly their size, so that a sanitizer sees one byte too far.
static int feed(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return 1;
  }
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  uint8_t* data = malloc(size > 0 ? (size_t)size : 1);
  const size_t got = data && size > 0 ? fread(data, 1, (size_t)size, file) : 0;
  fclose(file);
  if (!data || (long)got != size) {
    fprintf(stderr, "%s: cannot be read\n", path);
    free(data);
    return 1;
  }
  LLVMFuzzerTestOneInput(data, got);
  free(data);
  return 0;
}

static int feed_folder(const char* folder) {
  DIR* open = opendir(folder);
  if (!open) {
    perror(folder);
    return 1;
  }
  int failures = 0, count = 0;
  for (const struct dirent* entry; (entry = readdir(open));) {
    char path[4096];
    if (entry->d_name[0] != '.') {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      failures += feed(path);
      count++;
    }
  }
  closedir(open);
  printf("%s: %d files\n", folder, count);
  return failures + (count == 0);
}

int main(int argc, char** argv) {
  int failures = argc < 2;
  for (int i = 1; i < argc; i++) {
    failures += feed_folder(argv[i]);
  }
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
