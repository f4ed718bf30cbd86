// Networks of wraps that a motion leads out of the range they were trained for.
#include "job/job_inside.h"
#include "job/job_text.h"
#include "model/use/model_path.h"

void lb_job_warn_of_networks(lb_job* j) {
  const lb_recording* r = j->recording;
  const lb_model* m = j->model;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* path = m->muscle.item[i].path;
    const char* range = NULL;
    int frame = 0;
    while (frame < r->nframe &&
           !lb_model_path_strays(path, r->pose + (size_t)frame * (size_t)m->nbody,
                                 r->q + (size_t)frame * (size_t)m->nq, &range)) {
      frame++;
    }
    if (frame < r->nframe) {
      lb_job_warn_at(j, j->scene.muscle[i].place,
                     "muscle '%s' runs over a wrap whose network was trained for %s, and is out of "
                     "that at %s: its points may be anywhere",
                     path->name, range, lb_text_duration(r->time[frame]).text);
    }
  }
}
