// Manual pages in roff, and the reference in Markdown.
#include "app/manual.h"

#include <errno.h>
#include <string.h>

#include "app/terminal.h"
#include "limber/version.h"

// --- roff ---

// Text for roff: dashes are minus signs, and no line begins with a request.
static void put_roff(FILE* file, const char* text) {
  bool begins = true;
  for (; *text; text++) {
    if (begins && (*text == '.' || *text == '\'')) {
      fputs("\\&", file);
    }
    begins = *text == '\n';
    if (*text == '-' || *text == '\\') {
      fputs(*text == '-' ? "\\-" : "\\e", file);
    } else {
      fputc(*text, file);
    }
  }
}

static void put_section(FILE* file, const char* title, const char* text) {
  fprintf(file, "\n.SH %s\n.nf\n", title);
  put_roff(file, text);
  fputs("\n.fi\n", file);
}

static void put_option(FILE* file, const char* letter, const char* name, const char* value,
                       const char* help) {
  fputs(".TP\n", file);
  if (letter) {
    fputs("\\fB", file);
    put_roff(file, letter);
    fputs("\\fR, ", file);
  }
  fputs("\\fB", file);
  put_roff(file, name);
  fputs("\\fR", file);
  fprintf(file, value ? " \\fI%s\\fR\n" : "%.0s\n", value ? value : "");
  put_roff(file, help);
  fputc('\n', file);
}

// "muscle static" is the page limber-muscle-static.
static const char* page_name(const char* name, char out[64]) {
  snprintf(out, 64, "%s", name);
  char* blank = strchr(out, ' ');
  if (blank) {
    *blank = '-';
  }
  return out;
}

static void put_name(FILE* file, const char* name, const char* summary) {
  char page[64];
  fputs(".TH LIMBER\\-", file);
  put_roff(file, page_name(name, page));
  fprintf(file, " 1 \"\" \"Limber %s\"\n.SH NAME\nlimber\\-", lb_version());
  put_roff(file, page);
  fputs(" \\- ", file);
  put_roff(file, summary);
}

static void put_reference(FILE* file, const char* name, const char* summary) {
  char page[64];
  fputs(".TP\n.BR limber\\-", file);
  put_roff(file, page_name(name, page));
  fputs(" (1)\n", file);
  put_roff(file, summary);
  fputc('\n', file);
}

static void write_page(FILE* file, const verb* v) {
  const option* o = NULL;
  put_name(file, v->name, v->summary);
  fprintf(file, "\n.SH SYNOPSIS\n.B limber %s\n", v->name);
  put_roff(file, v->usage);
  put_section(file, "DESCRIPTION", v->about);
  fputs("\n.SH OPTIONS\n", file);
  for (int i = 0; (o = verb_option(v, i)); i++) {
    put_option(file, o->letter, o->name, o->value, o->help);
  }
  put_option(file, "-h", "--help", NULL, "show this text");
  put_section(file, "EXAMPLE", v->example);
  put_section(file, "EXIT STATUS", v->exits);
  fputs("\n.SH SEE ALSO\n.BR limber (1)\n", file);
}

// Of the family of a verb.
static void write_family_page(FILE* file, const verb* one) {
  const verb_family* f = find_family(one->name);
  put_name(file, f->name, f->summary);
  fprintf(file, "\n.SH SYNOPSIS\n.B limber %s\n.IR WHAT \" ...\"\n.SH VERBS\n", f->name);
  for (int i = 0; i < NVERB; i++) {
    if (verb_is_of(&VERBS[i], f)) {
      put_reference(file, VERBS[i].name, VERBS[i].summary);
    }
  }
  fputs(".SH OPTIONS\n", file);
  put_option(file, "-h", "--help", NULL, "show the verbs");
  fputs("\n.SH SEE ALSO\n.BR limber (1)\n", file);
}

static void write_main_page(FILE* file) {
  fprintf(file,
          ".TH LIMBER 1 \"\" \"Limber %s\"\n.SH NAME\nlimber \\- simulate the motion of "
          "articulated characters\n.SH SYNOPSIS\n.B limber\n.IR VERB \" ...\"\n.SH VERBS\n",
          lb_version());
  for (int i = 0; i < NVERB; i++) {
    const verb_family* f = find_family(VERBS[i].name);
    if (f && (!i || !verb_is_of(&VERBS[i - 1], f))) {
      put_reference(file, f->name, f->summary);
    }
    put_reference(file, VERBS[i].name, VERBS[i].summary);
  }
  fputs(".TP\n.B help\nshow the verbs, or all about one of them\n.SH OPTIONS\n", file);
  put_option(file, "-h", "--help", NULL, "show the verbs");
  put_option(file, "-V", "--version", NULL, "show the version");
}

// --- Markdown ---

static void write_reference(FILE* file) {
  for (int k = 0; k < NVERB; k++) {
    const verb* v = &VERBS[k];
    const option* o = NULL;
    fprintf(file, "\n### limber %s\n\nUsage: `limber %s %s`\n\n```text\n%s\n```\n", v->name,
            v->name, v->usage, v->about);
    fputs("\n| option | what it does |\n|---|---|\n", file);
    for (int i = 0; (o = verb_option(v, i)); i++) {
      fprintf(file, "| `%s%s%s%s%s` | %s |\n", o->letter ? o->letter : "", o->letter ? ", " : "",
              o->name, o->value ? " " : "", o->value ? o->value : "", o->help);
    }
    fprintf(file, "\n```text\nExit status:\n%s\n```\n", v->exits);
  }
}

// --- all files ---

static bool write_one(const char* dir, const char* name, void (*write)(FILE*, const verb*),
                      const verb* v) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE* file = fopen(path, "w");
  if (file) {
    write(file, v);
  }
  if (!file || fclose(file) != 0) {
    tell_error("%s: the file cannot be written: %s", path, strerror(errno));
    return false;
  }
  return true;
}

#define OF_ALL(name, write)                                                                        \
  static void name(FILE* file, const verb* v) {                                                    \
    (void)v;                                                                                       \
    write(file);                                                                                   \
  }
OF_ALL(main_page, write_main_page)
OF_ALL(reference, write_reference)
OF_ALL(bash, write_bash)
OF_ALL(zsh, write_zsh)
OF_ALL(fish, write_fish)

exit_code write_manual(const char* dir) {
  bool ok = write_one(dir, "limber.1", main_page, NULL) &&
            write_one(dir, "program.md", reference, NULL) &&
            write_one(dir, "limber.bash", bash, NULL) && write_one(dir, "_limber", zsh, NULL) &&
            write_one(dir, "limber.fish", fish, NULL);
  for (int i = 0; i < NVERB && ok; i++) {
    char page[64], name[80];
    snprintf(name, sizeof name, "limber-%s.1", page_name(VERBS[i].name, page));
    ok = write_one(dir, name, write_page, &VERBS[i]);
    const verb_family* f = find_family(VERBS[i].name);
    if (f && ok) {
      snprintf(name, sizeof name, "limber-%s.1", f->name);
      ok = write_one(dir, name, write_family_page, &VERBS[i]);
    }
  }
  return ok ? EXIT_DONE : EXIT_JOB;
}
