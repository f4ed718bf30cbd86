// Text of floating-point numbers, the same in every locale.
#pragma once

enum { LB_NUMBER_SIZE = 32 }; // longest text, with its NUL

// The shortest decimal text that reads back as exactly the same double, "0" for both zeros. The
// value must be finite. Returns the length.
int lb_number_format(char text[LB_NUMBER_SIZE], double value);
