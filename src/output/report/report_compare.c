// compare.html: two runs on one page, from the files that they left. The script reads these, puts
// both motions into one view, and plots what differs most under one cursor.
#include <stdio.h>
#include <string.h>

#include "base/read_all.h"
#include "limber/recording.h"
#include "limber/version.h"
#include "output/file/whole_file.h"
#include "output/report/compare_figures.h"
#include "output/report/report_page.h"

enum { MOST_LINES = 1000 }; // of a table; longer ones are thinned

// What is read of each run, and whether it must be there.
static const struct {
  const char* name;
  bool table, needed;
} FILES[] = {{"summary.json", false, true},
             {"trajectory.csv", true, true},
             {"forces.csv", true, false},
             {"scene.glb", false, false}};
enum { TRAJECTORY = 1, FORCES = 2, NFILE = sizeof FILES / sizeof *FILES, MOST_GLB = 8 << 20 };

typedef struct run {
  const char* dir;
  lb_bytes file[NFILE]; // data NULL: it is not there
} run;

static lb_status read_file(run* r, int i, lb_arena* arena, lb_error* err) {
  char path[4200];
  const char* why = "it cannot be opened";
  snprintf(path, sizeof path, "%.4000s/%s", r->dir, FILES[i].name);
  FILE* file = lb_open_to_read(path);
  lb_status status =
      file ? lb_read_all(file, LB_FILE_MOST_BYTES, arena, &r->file[i].data, &r->file[i].size, &why)
           : LB_IO;
  if (file) {
    fclose(file);
  }
  if (status != LB_OK && FILES[i].needed) {
    return lb_error_add(err, status, (lb_place){.file = path}, "%s (is this the folder of a run?)",
                        why);
  }
  if (status != LB_OK) {
    r->file[i] = (lb_bytes){NULL, 0};
  }
  return LB_OK;
}

// The heading and every n-th line, so that the page stays light.
static void put_table(lb_out* out, const lb_bytes* table) {
  long lines = 0, line = 0;
  lb_out thin = lb_out_make(out->allocator, -1);
  for (size_t i = 0; i < table->size; i++) {
    lines += table->data[i] == '\n';
  }
  const long step = 1 + lines / MOST_LINES;
  for (const char *at = table->data, *end = at + table->size; at < end; line++) {
    const char* stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop + 1 : end;
    if (line == 0 || (line - 1) % step == 0) {
      lb_out_bytes(&thin, at, (size_t)(stop - at));
    }
    at = stop;
  }
  lb_out_base64(out, thin.data, thin.size);
  lb_out_release(&thin);
}

static void put_run(lb_out* out, const run* r, const char* letter) {
  for (int i = 0; i < NFILE; i++) {
    const lb_bytes* f = &r->file[i];
    if (f->data && (FILES[i].table || f->size <= MOST_GLB)) {
      lb_print_html(out, "<script type=\"text/plain\" id=\"run-%s-%s\">\n", letter, FILES[i].name);
      if (FILES[i].table) {
        put_table(out, f);
      } else {
        lb_out_base64(out, f->data, f->size);
      }
      lb_out_text(out, "\n</script>\n");
    }
  }
}

static void write_page(lb_out* out, const void* of) {
  const run* r = of;
  lb_report_head(out, "Two runs");
  lb_print_html(out,
                "<header>\n<h1>Two runs</h1>\n<p class=\"about\"><b class=\"run-a\">A</b> %s<br>"
                "<b class=\"run-b\">B</b> %s</p>\n</header>\n",
                r[0].dir, r[1].dir);
  lb_report_stage(out);
  lb_out_text(out, "<div id=\"compared\"></div>\n<h2>What differs most, over time</h2>\n"
                   "<section class=\"plots\" id=\"plots\"></section>\n");
  lb_print(out, "<footer>Made by Limber %s.</footer>\n</main>\n", lb_version());
  put_run(out, &r[0], "a");
  put_run(out, &r[1], "b");
  lb_report_script(out);
}

static lb_status find_figures(const run r[2], lb_arena* arena, lb_compared* out, lb_error* err) {
  lb_run_tables tables[2];
  for (int i = 0; i < 2; i++) {
    const lb_bytes *path = &r[i].file[TRAJECTORY], *force = &r[i].file[FORCES];
    tables[i] = (lb_run_tables){path->data, path->size, force->data, force->size};
  }
  return lb_compare_figures(tables, arena, out)
             ? LB_OK
             : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for two runs");
}

lb_status lb_comparison_write(const char* a, const char* b, const char* dir, lb_compared* figures,
                              const lb_allocator* allocator, lb_error* err) {
  run r[2] = {{.dir = a}, {.dir = b}};
  lb_arena arena;
  lb_status status = LB_OK;
  lb_arena_init(&arena, allocator);
  for (int i = 0; i < 2 * NFILE; i++) {
    const lb_status one = read_file(&r[i / NFILE], i % NFILE, &arena, err);
    status = status == LB_OK ? one : status;
  }
  if (status == LB_OK && figures) {
    status = find_figures(r, &arena, figures, err);
  }
  if (status == LB_OK) {
    status = lb_folder_create(dir, arena.allocator, err);
  }
  if (status == LB_OK) {
    status = lb_file_write(dir, "compare.html", write_page, r, arena.allocator, err);
  }
  lb_arena_release(&arena);
  return status;
}
