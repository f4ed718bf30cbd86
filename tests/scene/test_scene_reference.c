// scene: docs/scene.schema.json and the tables of docs/scene.md are what the reader's own tables
// make of them. LIMBER_ACCEPT=1 writes both anew.
#include "scene/reference.h"
#include "test.h"

static char* load(const char* path) {
  FILE* f = fopen(path, "rb");
  assert_non_null(f);
  char* text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_above(fread(text, 1, (1 << 20) - 1, f), 0);
  fclose(f);
  return text;
}

static void save(const char* path, const char* text) {
  FILE* f = fopen(path, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

// Both texts from the first line in which they differ.
static void assert_same_text(const char* path, const char* got, const char* expected) {
  int line = 1;
  const char *a = got, *b = expected;
  const char *a_line = a, *b_line = b;
  for (; *a && *a == *b; a++, b++) {
    if (*a == '\n') {
      line++;
      a_line = a + 1;
      b_line = b + 1;
    }
  }
  if (*a != *b) {
    fail_msg("%s:%d is not what the tables say (LIMBER_ACCEPT=1 writes it anew)\n  has  %.*s\n"
             "  want %.*s",
             path, line, (int)strcspn(a_line, "\n"), a_line, (int)strcspn(b_line, "\n"), b_line);
  }
}

static void the_schema_is_what_the_tables_say(void** state) {
  (void)state;
  const char* path = LIMBER_SOURCE_DIR "/docs/scene.schema.json";
  char* expected = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&expected, &size);
  write_schema(out);
  fclose(out);
  if (getenv("LIMBER_ACCEPT")) {
    save(path, expected);
  }
  char* got = load(path);
  assert_same_text(path, got, expected);
  free(got);
  free(expected);
}

static const lb_table* find_table(const char* name, size_t length) {
  for (int i = 0; i < all_count; i++) {
    char whole[100];
    snprintf(whole, sizeof whole, "%s%s", all_tables[i].prefix, all_tables[i].table->name);
    if (strlen(whole) == length && strncmp(whole, name, length) == 0) {
      return all_tables[i].table;
    }
  }
  fail_msg("docs/scene.md asks for the unknown table '%.*s'", (int)length, name);
  return NULL;
}

// The page with the lines after each `<!-- keys: NAME -->` up to the next blank one made anew.
static char* renew_page(const char* page, int* count) {
  static const char mark[] = "<!-- keys: ";
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  for (const char* at = page; *at;) {
    const char* end = at + strcspn(at, "\n");
    end += *end == '\n';
    fwrite(at, 1, (size_t)(end - at), out);
    if (strncmp(at, mark, strlen(mark)) == 0) {
      const char* name = at + strlen(mark);
      write_key_table(out, find_table(name, (size_t)(strstr(name, " -->") - name)));
      ++*count;
      while (*end == '|') {
        end += strcspn(end, "\n");
        end += *end == '\n';
      }
    }
    at = end;
  }
  fclose(out);
  return text;
}

static void the_page_shows_every_key_as_the_tables_do(void** state) {
  (void)state;
  const char* path = LIMBER_SOURCE_DIR "/docs/scene.md";
  char* got = load(path);
  int count = 0;
  collect_all();
  char* expected = renew_page(got, &count);
  if (getenv("LIMBER_ACCEPT")) {
    save(path, expected);
    free(got);
    got = load(path);
  }
  assert_same_text(path, got, expected);
  assert_int_equal(count, all_count);
  free(got);
  free(expected);
}

static void the_page_names_every_unit(void** state) {
  (void)state;
  char* page = load(LIMBER_SOURCE_DIR "/docs/scene.md");
  for (int i = 0; i < lb_unit_count; i++) {
    char unit[40];
    snprintf(unit, sizeof unit, "`%s`", lb_units[i].name);
    if (!strstr(page, unit)) {
      fail_msg("docs/scene.md does not name the unit %s", unit);
    }
  }
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_schema_is_what_the_tables_say),
      cmocka_unit_test(the_page_shows_every_key_as_the_tables_do),
      cmocka_unit_test(the_page_names_every_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
