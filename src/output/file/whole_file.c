// Write aside, sync, rename. A reader of the folder sees the old file or the new one, never half of
// one, also when the machine stops in between.
#include "output/file/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static lb_status no_memory(lb_error* err, const char* path) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){.file = path}, "out of memory");
}

static lb_status failed(lb_error* err, const char* path, const char* what, int cause) {
  return lb_error_add(err, LB_IO, (lb_place){.file = path}, "%s: %s", what, strerror(cause));
}

static bool is_folder(const char* path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

// mkdir that is content with a folder that is there already.
static lb_status make_one(const char* path, lb_error* err) {
  const int cause = mkdir(path, 0777) == 0 ? 0 : errno; // before stat() changes it
  if (cause == 0 || is_folder(path)) {
    return LB_OK;
  }
  if (cause == EEXIST || cause == ENOTDIR) {
    return lb_error_add(err, LB_IO, (lb_place){.file = path},
                        "the results need a folder of this name, but %s is a file",
                        cause == EEXIST ? "it" : "something above it");
  }
  return failed(err, path, "the folder cannot be made", cause);
}

lb_status lb_folder_create(const char* dir, const lb_allocator* allocator, lb_error* err) {
  if (is_folder(dir)) {
    return LB_OK;
  }
  const size_t length = strlen(dir);
  char* path = lb_allocate(allocator, length + 1);
  if (!path) {
    return no_memory(err, dir);
  }
  memcpy(path, dir, length + 1);
  lb_status status = LB_OK;
  for (size_t i = 1; i < length && status == LB_OK; i++) {
    if (path[i] == '/' && path[i - 1] != '/') {
      path[i] = 0;
      status = make_one(path, err);
      path[i] = '/';
    }
  }
  if (status == LB_OK) {
    status = make_one(path, err);
  }
  lb_release(allocator, path);
  return status;
}

lb_status lb_folder_lock(const char* dir, const lb_allocator* allocator, int* lock, lb_error* err) {
  const lb_status status = lb_folder_create(dir, allocator, err);
  const int folder = status == LB_OK ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(folder);
    return lb_error_add(err, LB_IO, (lb_place){.file = dir},
                        "another run is writing its results there (wait for it, or choose another "
                        "folder)");
  }
  *lock = status == LB_OK ? folder : *lock;
  return status;
}

void lb_folder_release(int lock) {
  if (lock >= 0) {
    close(lock);
  }
}

static void release(lb_file* file) {
  lb_out_release(&file->out);
  lb_release(file->allocator, file->path);
  lb_release(file->allocator, file->aside);
}

// A new file beside the final one; another process may be writing its own at the same time.
static int open_aside(char* aside, size_t size, const char* dir, const char* name) {
  int fd = -1;
  for (int i = 0; i < 100 && fd < 0; i++) {
    snprintf(aside, size, "%s/.%s.%ld-%d.part", dir, name, (long)getpid(), i);
    fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) {
      break;
    }
  }
  return fd;
}

lb_status lb_file_begin(lb_file* file, const char* dir, const char* name,
                        const lb_allocator* allocator, lb_error* err) {
  const size_t size = strlen(dir) + strlen(name) + 64;
  *file = (lb_file){.allocator = allocator, .out = lb_out_make(allocator, -1)};
  file->path = lb_allocate(allocator, size);
  file->aside = lb_allocate(allocator, size);
  if (!file->path || !file->aside) {
    release(file);
    return no_memory(err, name);
  }
  snprintf(file->path, size, "%s/%s", dir, name);
  file->out.fd = open_aside(file->aside, size, dir, name);
  if (file->out.fd < 0) {
    const lb_status status = failed(err, file->path, "the file cannot be made", errno);
    release(file);
    return status;
  }
  return LB_OK;
}

// The rename itself must reach the disk too. Some file systems cannot sync a folder; that is theirs
// to answer for.
static void sync_folder_of(char* path) {
  char* slash = strrchr(path, '/');
  *slash = 0;
  const int fd = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *slash = '/';
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

lb_status lb_file_end(lb_file* file, lb_error* err) {
  lb_out* out = &file->out;
  lb_out_flush(out);
  // What cannot be synced (a pipe, say) answers EINVAL, which is no loss of data.
  if (out->status == LB_OK && fsync(out->fd) != 0 && errno != EINVAL) {
    out->status = LB_IO;
    out->cause = errno;
  }
  if (close(out->fd) != 0 && out->status == LB_OK) {
    out->status = LB_IO;
    out->cause = errno;
  }
  if (out->status == LB_OK && rename(file->aside, file->path) != 0) {
    out->status = LB_IO;
    out->cause = errno;
  }
  const lb_status status = out->status;
  if (status == LB_OK) {
    sync_folder_of(file->path);
  } else {
    unlink(file->aside);
    if (status == LB_INTERRUPTED) { // one of another run beside new files would be taken for theirs
      unlink(file->path);
    }
    status == LB_NO_MEMORY ? no_memory(err, file->path)
    : status == LB_INTERRUPTED
        ? lb_error_add(err, status, (lb_place){.file = file->path}, "interrupted: it is left out")
        : failed(err, file->path, "the file cannot be written", out->cause);
  }
  release(file);
  return status;
}

lb_status lb_file_write(const char* dir, const char* name, lb_file_content* write, const void* of,
                        const lb_allocator* allocator, lb_error* err) {
  lb_file file;
  const lb_status status = lb_file_begin(&file, dir, name, allocator, err);
  if (status != LB_OK) {
    return status;
  }
  write(&file.out, of);
  return lb_file_end(&file, err);
}

void lb_file_bytes(lb_out* out, const void* of) {
  const lb_bytes* b = of;
  lb_out_bytes(out, b->data, b->size);
}

void lb_file_drop(lb_file* file) {
  file->out.status = LB_IO;
  lb_file_end(file, NULL);
}
