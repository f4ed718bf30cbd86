#include "geom/mesh/cells.h"

#include <string.h>

static bool is_line_end(const lb_scan* s) {
  return s->at == s->end || *s->at == '\n' || *s->at == '\r';
}

static bool is_void(const lb_scan* s) {
  const char* at = s->at;
  while (at < s->end && (*at == ' ' || *at == '\t')) {
    at++;
  }
  return at == s->end || *at == '\n' || *at == '\r' || *at == '#';
}

// Comma, semicolon or tab: whichever comes first.
static char find_separator(const lb_scan* s) {
  const char* at = s->at;
  while (at < s->end && !memchr(",;\t\r\n", *at, 5)) {
    at++;
  }
  return at < s->end && *at != '\n' && *at != '\r' ? *at : ',';
}

lb_cells lb_cells_begin(const char* text, size_t size, const char* file) {
  lb_cells c = {.scan = lb_scan_begin(text, size, file)};
  while (is_void(&c.scan) && lb_scan_line(&c.scan)) {
  }
  c.separator = find_separator(&c.scan);
  return c;
}

bool lb_cells_line(lb_cells* cells) {
  while (lb_scan_line(&cells->scan)) {
    if (!is_void(&cells->scan)) {
      return true;
    }
  }
  return false;
}

void lb_cells_again(lb_cells* cells) {
  cells->scan.at = cells->scan.line_start;
}

static lb_word trimmed(const char* from, const char* to) {
  while (from < to && (*from == ' ' || *from == '\t')) {
    from++;
  }
  while (to > from && (to[-1] == ' ' || to[-1] == '\t')) {
    to--;
  }
  return (lb_word){from, (size_t)(to - from)};
}

lb_word lb_cells_next(lb_cells* cells) {
  lb_scan* s = &cells->scan;
  const char* from = s->at;
  bool quoted = false;
  while (!is_line_end(s) && (quoted || *s->at != cells->separator)) {
    quoted ^= *s->at == '"';
    s->at++;
  }
  lb_word cell = trimmed(from, s->at);
  if (cell.size >= 2 && *cell.at == '"' && cell.at[cell.size - 1] == '"') {
    cell = (lb_word){cell.at + 1, cell.size - 2};
  }
  return cell;
}

bool lb_cells_more(lb_cells* cells) {
  if (is_line_end(&cells->scan)) {
    return false;
  }
  cells->scan.at++;
  return true;
}

lb_place lb_cells_place(const lb_cells* cells, const char* at) {
  return lb_scan_place(&cells->scan, at ? at : cells->scan.at);
}
