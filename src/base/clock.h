// Monotonic clock, for reported times.
#pragma once

// Seconds since some moment.
double lb_clock(void);
