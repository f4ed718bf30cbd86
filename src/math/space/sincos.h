// Sines and cosines of many angles at once.
#pragma once

// s[i] = sin(x[i]), c[i] = cos(x[i]) for i < n, to within 1.5 units in the last place of one.
void lb_sincos(int n, const double* x, double* s, double* c);
