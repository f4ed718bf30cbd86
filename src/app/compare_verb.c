// Two runs on one page.
#include <stdio.h>

#include "app/terminal.h"
#include "app/verb.h"
#include "limber/recording.h"

exit_code compare_runs(const verb_args* a, int nplain, char** words) {
  const char* dir = a->o.out ? a->o.out : "out/compare";
  lb_error err = lb_error_make(NULL);
  (void)nplain;
  const lb_status status = lb_comparison_write(words[0], words[1], dir, NULL, &err);
  if (status != LB_OK) {
    tell_errors(&err);
  } else if (!a->quiet) {
    printf("%s and %s side by side\n  results   %s/compare.html  open it in a browser\n", words[0],
           words[1], dir);
  }
  lb_error_clear(&err);
  return status == LB_OK ? EXIT_DONE : EXIT_INPUT;
}
