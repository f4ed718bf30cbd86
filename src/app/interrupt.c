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

void interrupt_listen(void) {
  struct sigaction action = {.sa_handler = ask, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) {
  return asked != 0;
}
