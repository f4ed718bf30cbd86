// Samples with rates, and what is between them. Nothing here allocates.
#pragma once

/// Sample before a time, at most the one before the last, and the part of the way to the next, 0 to
/// 1. n > 1, time rising.
int lb_sample_before(int n, const double* time, double t, double* part);

/// Hermite's polynomial of degree five at part s of an interval of length h, between values with
/// first and second rates a and b: its value and rates.
void lb_hermite5(double s, double h, const double a[3], const double b[3], double out[3]);
