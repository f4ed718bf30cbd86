// Steps a scene by hand from C++: the headers are C++ too, and the library links.
#include <limber/limber.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(lb_version(), LB_VERSION) != 0) {
    return 2;
  }
  lb_error err = lb_error_make(nullptr);
  lb_scene scene;
  lb_model* model = nullptr;
  lb_data* data = nullptr;
  lb_stepper* stepper = nullptr;
  if (lb_scene_read(argv[1], nullptr, &scene, &err) != LB_OK) {
    return 1;
  }
  bool good = lb_model_create(&scene, nullptr, &model, &err) == LB_OK &&
              lb_data_create(model, nullptr, &data, &err) == LB_OK &&
              lb_stepper_create(model, nullptr, nullptr, &stepper, &err) == LB_OK;
  for (int i = 0; good && i < 10; i++) {
    good = lb_stepper_step(stepper, data, 1e-3, &err) == LB_OK;
  }
  if (good) {
    lb_poses(model, data);
    const lb_vec3 p = data->pose[model->nbody - 1].p;
    std::printf("%g s: %s at %g %g %g\n", data->time, model->body.name[model->nbody - 1], p.x, p.y,
                p.z);
  }
  lb_stepper_release(stepper);
  lb_data_release(data);
  lb_model_release(model);
  lb_scene_release(&scene);
  lb_error_clear(&err);
  return good ? 0 : 1;
}
