// Room for OpenBLAS, which waits for ever where it finds none.
#pragma once
#include <stdbool.h>

// Call first: where address space is limited, begin again without OpenBLAS's own threads, which
// take their share before main().
void blas_begin(char** argv);
// Is there address space for what it takes for itself in each thread? Tells when there is not.
bool blas_has_room(int threads);
// End the program. OpenBLAS's own threads may still be waiting for memory, and are left to it.
_Noreturn void blas_leave(int code);
