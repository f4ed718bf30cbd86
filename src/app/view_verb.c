// limber view: the report of a run, in the browser.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "app/terminal.h"
#include "app/verb.h"

extern char** environ;

// When the report of a folder was written; 0: there is none.
static time_t time_of(const char* dir, char* path, size_t size) {
  struct stat s;
  snprintf(path, size, "%s/report.html", dir);
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? s.st_mtime : 0;
}

// The newest report in the folders below out/.
static bool find_newest(char* path, size_t size) {
  DIR* out = opendir("out");
  time_t newest = 0;
  for (struct dirent* e; out && (e = readdir(out));) {
    char dir[PATH_MAX], report[PATH_MAX + 16];
    snprintf(dir, sizeof dir, "out/%s", e->d_name);
    const time_t written = *e->d_name != '.' ? time_of(dir, report, sizeof report) : 0;
    if (written > newest) {
      newest = written;
      snprintf(path, size, "%s", report);
    }
  }
  if (out) {
    closedir(out);
  }
  return newest != 0;
}

static exit_code show(const char* path) {
  static const char viewer[] = "xdg-open";
  char* const words[] = {(char*)viewer, (char*)path, NULL};
  pid_t child = 0;
  int status = 0;
  const int failed = posix_spawnp(&child, viewer, NULL, NULL, words, environ);
  if (failed || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    tell_error("%s cannot be shown with %s%s%s (open it in a browser)", path, viewer,
               failed ? ": " : "", failed ? strerror(failed) : "");
    return EXIT_JOB;
  }
  return EXIT_DONE;
}

exit_code view_report(const verb_args* a, int nplain, char** words) {
  char path[PATH_MAX + 16];
  (void)a;
  if (nplain == 0 && !find_newest(path, sizeof path)) {
    tell_error("there is no report in the folders below out; name the folder of a run");
    return EXIT_INPUT;
  }
  if (nplain > 0 && time_of(words[0], path, sizeof path) == 0) {
    tell_error("%s: there is no report (report.html) in this folder", words[0]);
    return EXIT_INPUT;
  }
  return show(path);
}
