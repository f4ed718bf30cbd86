// Monotonic clock, for what people are told of times.
#pragma once

// Seconds since some moment.
double lb_clock(void);
