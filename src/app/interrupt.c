// A flag that signals raise and long work looks at.
#include "app/interrupt.h"

#include <signal.h>
#include <stddef.h>

// The one piece of state a signal handler may write.
static volatile sig_atomic_t asked;

static void ask(int signal) {
  (void)signal;
  asked = 1;
}

void interrupt_prepare(void) {
  signal(SIGXFSZ, SIG_IGN); // writing then fails, which is told
}

void interrupt_listen(void) {
  struct sigaction action = {.sa_handler = ask, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  struct sigaction before;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) { // else nohup's
    sigaction(SIGHUP, &action, NULL);
  }
}

bool interrupted(void) {
  return asked != 0;
}
