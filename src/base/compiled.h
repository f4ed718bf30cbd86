// How the library was compiled. Other instructions and compilers round otherwise. CMake writes it.
#pragma once

extern const char lb_build[];
