// MUMPS has state of its own that is not per instance, and so is called by one thread at a time:
// by direct.c, and by IPOPT, which calls it on its own (math/program/nonlinear_program.c).
#pragma once

void lb_mumps_lock(void);
void lb_mumps_unlock(void);
