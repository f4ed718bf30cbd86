// Completion of command lines in bash, zsh and fish, from the tables of verbs and options.
#include <string.h>

#include "app/manual.h"

// What the value of an option is.
static bool is_folder(const option* o) {
  return o->value && (strcmp(o->value, "DIR") == 0 || strcmp(o->value, "RUN") == 0);
}
static bool is_file(const option* o) {
  return o->value && strcmp(o->value, "FILE") == 0;
}

// Text inside single quotes of a shell.
static void put_quoted(FILE* file, const char* text) {
  fputc('\'', file);
  for (; *text; text++) {
    fputs(*text == '\'' ? "'\\''" : (char[2]){*text, 0}, file);
  }
  fputc('\'', file);
}

// First words: verbs, and families of them, once each; NULL: the verb's family was there before.
static const char* first_word(int i, const char** summary) {
  const verb_family* f = find_family(VERBS[i].name);
  *summary = f ? f->summary : VERBS[i].summary;
  return !f ? VERBS[i].name : i && verb_is_of(&VERBS[i - 1], f) ? NULL : f->name;
}

// --- bash ---

// Of families: the second words, and then both words are the verb.
static void put_families(FILE* file) {
  fputs("  case $verb in\n", file);
  for (int k = 0; k < NFAMILY; k++) {
    fprintf(file,
            "    %s)\n      if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W '",
            FAMILIES[k].name);
    for (int i = 0; i < NVERB; i++) {
      if (verb_is_of(&VERBS[i], &FAMILIES[k])) {
        fprintf(file, "%s ", verb_second(&VERBS[i]));
      }
    }
    fputs("' -- \"$current\")\n        return\n      fi\n"
          "      verb=\"$verb ${COMP_WORDS[2]}\" ;;\n",
          file);
  }
  fputs("  esac\n", file);
}

// The options of all verbs whose values are such, once each, with bars between.
static void put_patterns(FILE* file, bool (*is)(const option*)) {
  const char* seen[64];
  int count = 0;
  for (int k = 0; k < NVERB; k++) {
    const option* o = NULL;
    for (int i = 0; (o = verb_option(&VERBS[k], i)); i++) {
      bool known = !is(o) || count == (int)(sizeof seen / sizeof *seen);
      for (int s = 0; s < count; s++) {
        known = known || strcmp(seen[s], o->name) == 0;
      }
      if (!known) {
        fprintf(file, "%s%s%s%s", count ? "|" : "", o->letter ? o->letter : "",
                o->letter ? "|" : "", o->name);
        seen[count++] = o->name;
      }
    }
  }
}

static bool is_other(const option* o) {
  return o->value && !is_folder(o) && !is_file(o);
}

void write_bash(FILE* file) {
  fputs("# Completion of limber for bash, made from its tables of verbs and options.\n"
        "_limber() {\n"
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=\n"
        "  local verb=${COMP_WORDS[1]}\n"
        "  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ] || [ \"${COMP_WORDS[1]}\" = help ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W '",
        file);
  for (int i = 0; i < NVERB; i++) {
    const char *about, *word = first_word(i, &about);
    fprintf(file, word ? "%s " : "%.0s", word ? word : "");
  }
  fputs("help' -- \"$current\")\n    return\n  fi\n", file);
  put_families(file);
  fputs("  case $verb in\n", file);
  for (int k = 0; k < NVERB; k++) {
    const option* o = NULL;
    fprintf(file, "    '%s') options='", VERBS[k].name);
    for (int i = 0; (o = verb_option(&VERBS[k], i)); i++) {
      fprintf(file, "%s ", o->name);
    }
    fputs("--help' ;;\n", file);
  }
  fputs("  esac\n  case $before in\n    ", file);
  put_patterns(file, is_folder);
  fputs(") mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n    ", file);
  put_patterns(file, is_file);
  fputs(") mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n    ", file);
  put_patterns(file, is_other);
  fputs(") ;;\n"
        "    *)\n"
        "      if [[ $current == -* ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
        "      else\n"
        "        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|csv)' -- \"$current\"; "
        "compgen -d -- \"$current\")\n"
        "      fi ;;\n"
        "  esac\n"
        "}\n"
        "shopt -s extglob\n"
        "complete -o filenames -F _limber limber\n",
        file);
}

// --- zsh ---

// Help inside brackets of _arguments.
static void put_bracketed(FILE* file, const char* text) {
  for (; *text; text++) {
    const bool special = strchr("[]:'\\", *text) != NULL;
    fputs(!special        ? (char[2]){*text, 0}
          : *text == '\'' ? "'\\''"
                          : (char[3]){'\\', *text, 0},
          file);
  }
}

static void put_argument(FILE* file, const char* name, const option* o) {
  fprintf(file, "        '*%s%s[", name, o->value ? "=" : "");
  put_bracketed(file, o->help);
  fputc(']', file);
  if (o->value) {
    fprintf(file, ":%s:%s", strchr(o->value, '=') ? "value" : o->value,
            is_folder(o) ? "_files -/"
            : is_file(o) ? "_files"
                         : "");
  }
  fputs("' \\\n", file);
}

void write_zsh(FILE* file) {
  fputs("#compdef limber\n"
        "# Completion of limber for zsh, made from its tables of verbs and options.\n"
        "_limber() {\n  local -a verbs\n  verbs=(\n",
        file);
  for (int i = 0; i < NVERB; i++) {
    const char *about, *word = first_word(i, &about);
    if (word) {
      fprintf(file, "    '%s:", word);
      put_bracketed(file, about);
      fputs("'\n", file);
    }
  }
  fputs("    'help:show help'\n  )\n"
        "  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
        "    _describe verb verbs\n    return\n  fi\n"
        "  local verb=$words[2]\n",
        file);
  for (int k = 0; k < NFAMILY; k++) {
    fprintf(file, "  if [[ $verb == %s ]]; then\n    verbs=(\n", FAMILIES[k].name);
    for (int i = 0; i < NVERB; i++) {
      if (verb_is_of(&VERBS[i], &FAMILIES[k])) {
        fprintf(file, "      '%s:", verb_second(&VERBS[i]));
        put_bracketed(file, VERBS[i].summary);
        fputs("'\n", file);
      }
    }
    fputs(
        "    )\n    if (( CURRENT == 3 )); then\n      _describe verb verbs\n      return\n    fi\n"
        "    verb=\"$verb $words[3]\"\n  fi\n",
        file);
  }
  fputs("  case $verb in\n", file);
  for (int k = 0; k < NVERB; k++) {
    const option* o = NULL;
    fprintf(file, "    '%s')\n      _arguments \\\n", VERBS[k].name);
    for (int i = 0; (o = verb_option(&VERBS[k], i)); i++) {
      put_argument(file, o->name, o);
    }
    fputs("        '--help[show help]' \\\n        '*:file:_files' ;;\n", file);
  }
  fputs("  esac\n}\n_limber \"$@\"\n", file);
}

// --- fish ---

void write_fish(FILE* file) {
  fputs("# Completion of limber for fish, made from its tables of verbs and options.\n", file);
  for (int k = 0; k < NVERB; k++) {
    const option* o = NULL;
    const char *about, *word = first_word(k, &about), *second = verb_second(&VERBS[k]);
    if (word) {
      fprintf(file, "complete -c limber -n __fish_use_subcommand -a %s -d ", word);
      put_quoted(file, about);
      fputc('\n', file);
    }
    if (second) {
      fprintf(file, "complete -c limber -n '__fish_seen_subcommand_from %s' -a %s -d ",
              find_family(VERBS[k].name)->name, second);
      put_quoted(file, VERBS[k].summary);
      fputc('\n', file);
    }
    for (int i = 0; (o = verb_option(&VERBS[k], i)); i++) {
      fprintf(file, "complete -c limber -n '__fish_seen_subcommand_from %s' -l %s%s%s%s -d ",
              second ? second : VERBS[k].name, o->name + 2, o->letter ? " -s " : "",
              o->letter ? o->letter + 1 : "",
              is_folder(o) ? " -x -a '(__fish_complete_directories)'"
              : is_file(o) ? " -r"
              : o->value   ? " -x"
                           : "");
      put_quoted(file, o->help);
      fputc('\n', file);
    }
  }
}
