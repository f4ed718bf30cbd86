// Points where bodies touch, frame by frame: as many as there are, up to a bound on all of them.
#pragma once
#include "limber/recording.h"

typedef struct lb_contact_frames lb_contact_frames;

// NULL: there is no memory.
lb_contact_frames* lb_contact_frames_create(const lb_allocator* allocator);
void lb_contact_frames_release(lb_contact_frames* frames, const lb_allocator* allocator);
