// Words and numbers of mesh files.
#include "geom/mesh/mesh_reader.h"

#include "geom/mesh/file_load.h"

void lb_mesh_reader_open(lb_mesh_reader* r, const char* text, size_t size, const char* name,
                         const lb_allocator* allocator, lb_error* err) {
  *r = (lb_mesh_reader){.err = err};
  lb_arena_init(&r->scratch, allocator);
  lb_mesh_reader_next(r, text, size, name);
}

void lb_mesh_reader_next(lb_mesh_reader* r, const char* text, size_t size, const char* name) {
  r->scan = lb_scan_begin(text, size, name);
  if (size > LB_MESH_MOST_BYTES) {
    lb_error_add(r->err, LB_INVALID, (lb_place){name, 0, 0}, "the file is too long");
    r->mistakes = LB_MESH_MOST_MISTAKES;
  }
}

lb_status lb_mesh_reader_close(lb_mesh_reader* r, const char* name, lb_status status) {
  if (lb_arena_status(&r->scratch) != LB_OK) {
    status =
        lb_error_add(r->err, LB_NO_MEMORY, (lb_place){name, 0, 0}, "no memory to read this mesh");
  } else if (r->mistakes) {
    status = LB_INVALID;
  }
  lb_arena_release(&r->scratch);
  return status;
}

bool lb_mesh_reader_good(const lb_mesh_reader* r) {
  return !r->mistakes && lb_arena_status(&r->scratch) == LB_OK;
}

void lb_mesh_reader_mistake(lb_mesh_reader* r, const char* at, const char* text, lb_word word) {
  lb_error_add(r->err, LB_INVALID, lb_scan_place(&r->scan, at), text, lb_word_show(word).text);
  r->mistakes++;
}

void lb_mesh_reader_complain(lb_mesh_reader* r, const char* at, const char* text) {
  lb_error_add(r->err, LB_INVALID, lb_scan_place(&r->scan, at), "%s", text);
  r->mistakes++;
}

bool lb_mesh_reader_seek(lb_mesh_reader* r, lb_word* word) {
  while (!lb_scan_word(&r->scan, word)) {
    if (!lb_scan_line(&r->scan)) {
      *word = (lb_word){r->scan.at, 0};
      return false;
    }
  }
  return true;
}

lb_word lb_mesh_reader_word(lb_mesh_reader* r) {
  lb_word word = {r->scan.at, 0};
  if (lb_mesh_reader_good(r) && !lb_mesh_reader_seek(r, &word)) {
    lb_mesh_reader_complain(r, r->scan.at, "the file ends in the middle");
  }
  return word;
}

int lb_mesh_reader_integer(lb_mesh_reader* r) {
  const lb_word word = lb_mesh_reader_word(r);
  int value = 0;
  if (lb_mesh_reader_good(r) && !lb_word_integer(word, &value)) {
    lb_mesh_reader_mistake(r, word.at, "'%s' is not a whole number", word);
  }
  return value;
}

int lb_mesh_reader_count(lb_mesh_reader* r) {
  const lb_word word = lb_mesh_reader_word(r);
  int value = 0;
  if (lb_mesh_reader_good(r) && (!lb_word_integer(word, &value) || value < 0)) {
    lb_mesh_reader_mistake(r, word.at, "'%s' is not a number of things", word);
  }
  return lb_mesh_reader_good(r) ? value : 0;
}

double lb_mesh_reader_number(lb_mesh_reader* r) {
  const lb_word word = lb_mesh_reader_word(r);
  double value = 0;
  if (lb_mesh_reader_good(r) && !lb_word_number(word, &value)) {
    lb_mesh_reader_mistake(r, word.at, "'%s' is not a finite number", word);
  }
  return value;
}

lb_vec3 lb_mesh_reader_point(lb_mesh_reader* r) {
  const double x = lb_mesh_reader_number(r), y = lb_mesh_reader_number(r);
  return lb_vec3_make(x, y, lb_mesh_reader_number(r));
}

void lb_mesh_reader_integers(lb_mesh_reader* r, int count, int* value) {
  for (int i = 0; i < count; i++) {
    value[i] = lb_mesh_reader_integer(r);
  }
}

void lb_mesh_reader_skip(lb_mesh_reader* r, int count) {
  for (int i = 0; i < count && lb_mesh_reader_good(r); i++) {
    lb_mesh_reader_word(r);
  }
}
