// Result files that are whole or not there: written aside, brought to the disk, then renamed.
#pragma once
#include "output/file/out.h"

typedef struct lb_file {
  const lb_allocator* allocator;
  char* path;  // what it will be called
  char* aside; // what it is called until then
  lb_out out;
} lb_file;

// Make a folder and the folders above it that are missing.
lb_status lb_folder_create(const char* dir, const lb_allocator* allocator, lb_error* err);

// Make a folder and keep others out of it: a second lock on it fails with LB_IO, in this process
// and in others, until the first is released. File systems without locks are trusted, and have a
// lock of -1, which release ignores.
lb_status lb_folder_lock(const char* dir, const lb_allocator* allocator, int* lock, lb_error* err);
void lb_folder_release(int lock);

// Begin DIR/NAME. On failure nothing is left behind and `file` needs no further call.
lb_status lb_file_begin(lb_file* file, const char* dir, const char* name,
                        const lb_allocator* allocator, lb_error* err);
// Remove it: nothing is kept.
void lb_file_drop(lb_file* file);
// Finish what was written to `file->out`, or remove it when anything failed on the way.
lb_status lb_file_end(lb_file* file, lb_error* err);

// A file that is written at once: its content is what `write` makes of `of`.
typedef void lb_file_content(lb_out* out, const void* of);
lb_status lb_file_write(const char* dir, const char* name, lb_file_content* write, const void* of,
                        const lb_allocator* allocator, lb_error* err);

// Content that is there already.
typedef struct lb_bytes {
  char* data;
  size_t size;
} lb_bytes;
lb_file_content lb_file_bytes; // of lb_bytes
