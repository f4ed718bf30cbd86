// The version of the library these headers belong to.
#pragma once
#define LB_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
/// The version of the library that is linked.
const char* lb_version(void);
#ifdef __cplusplus
}
#endif
