// Sampled signals: slopes, and what is left of them below a frequency. Nothing here allocates.
#pragma once

/// Slopes at the samples of x[i * stride], by the polynomial of degree six (lower with fewer
/// samples) through the seven nearest: of sixth order in the spacing, which need not be even.
/// n > 1, t rising; slope[i * slope_stride].
void lb_signal_slopes(int n, const double* t, const double* x, int stride, double* slope,
                      int slope_stride);

/// Low-pass filter without delay: Butterworth's of order two, forward and then backward, so that a
/// sine at `cutoff` keeps 1/sqrt(2) of its amplitude. At the ends it keeps value, slope and
/// curvature, as a fit through the samples within two periods of the cut-off has them. Samples are
/// `step` apart and cutoff * step < LB_SIGNAL_HIGHEST. `scratch` has 3 n numbers.
void lb_signal_low_pass(int n, double step, double cutoff, double* x, int stride, double* scratch);

/// Filter and rates as OpenSim's tools have them: Butterworth's filter of order three, forward and
/// backward, over a signal turned about its ends, and the natural spline of degree five through it.
/// `cutoff` NAN: no filter. slope and curvature[i * rate_stride]; `scratch` has 16 n numbers. n
/// > 3.
void lb_signal_opensim(int n, double step, double cutoff, double* x, int stride, double* slope,
                       double* curvature, int rate_stride, double* scratch);

/// Beyond this the filter's own cut-off, which is higher, would reach half the sampling rate.
#define LB_SIGNAL_HIGHEST 0.4
