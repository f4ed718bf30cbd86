// Steps a scene by hand, with inputs, and prints its state to the last bit: what beside.py does,
// too.
#include <limber/limber.h>
#include <stdio.h>

int main(int argc, char** argv) {
  lb_error err = lb_error_make(NULL);
  lb_world* w = argc == 2 ? lb_world_open(argv[1], &err) : NULL;
  if (!w) {
    return 1;
  }
  for (int i = 0; i < 300; i++) {
    lb_world_push(w, 0, lb_vec3_make(0.1 * i, 0, 1), lb_vec3_make(0, 0.01, 0));
    if (lb_world_count(w, LB_PART_MOTOR) > 0 && i > 100) {
      lb_world_set_motor(w, 0, 1e-4 * i);
    }
    lb_world_step(w, 1e-3);
  }
  const lb_world_arrays a = lb_world_read(w, LB_READ_MOTION | LB_READ_FORCES);
  const struct {
    const void* at;
    int count;
  } part[] = {{a.q, a.nq},
              {a.qd, a.nv},
              {a.pose, 7 * a.nbody},
              {a.velocity, 6 * a.nbody},
              {a.motor_force, a.nmotor},
              {a.reaction, 6 * a.njoint}};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < part[i].count; k++) {
      printf("%a\n", ((const double*)part[i].at)[k]);
    }
  }
  const lb_status status = lb_world_check(w, &err);
  lb_world_close(w);
  lb_error_clear(&err);
  return status == LB_OK ? 0 : 1;
}
