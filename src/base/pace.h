// Pace of a job, and the time that is left: from its progress of late, once that is worth
// something.
#pragma once

// Start from {0}.
typedef struct lb_pace {
  double begun;   // time of the first look at this part of the work [s]
  double looked;  // time of the last look [s]
  double first;   // fraction at the first look
  double reached; // fraction at the last look
  double rate;    // smoothed [1/s]
} lb_pace;

// Look at the fraction that is done. One that is smaller than before begins another part.
void lb_pace_follow(lb_pace* p, double now, double fraction);
// Time that is left at this rate [s]; NAN while too little is known.
double lb_pace_left(const lb_pace* p);
