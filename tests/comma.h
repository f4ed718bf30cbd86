// A locale with a comma in place of the decimal point, made where none is installed.
#pragma once
#include <locale.h>
#include <stdbool.h>
#include <unistd.h>

#include "test.h"

// In force until leave_comma; skips the test where the system's locales have no sources.
static inline void enter_comma(void) {
  char dir[] = "/tmp/limber-locale-XXXXXX", command[200];
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    assert_non_null(mkdtemp(dir));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>&1", dir);
    const int made = system(command);
    setenv("LOCPATH", dir, 1);
    const bool entered = setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
    if (made != 0 && !entered) {
      print_message("skipped: there is no locale with a comma (package locales)\n");
      skip();
    }
  }
  char text[10];
  snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, "1,5");
}

static inline void leave_comma(void) {
  setlocale(LC_ALL, "C");
}
