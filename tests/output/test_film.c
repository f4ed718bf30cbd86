// Pictures of frames: what is where it should be seen, shadows, and PNG files that others read.
#include <sys/stat.h>
#include <unistd.h>

#include "limber/recording.h"
#include "output/film/film.h"
#include "output/film/png.h"
#include "output/film/raster.h"
#include "output/fixture.h"

enum { WIDTH = 160, HEIGHT = 90 };

typedef struct shot {
  lb_arena arena;
  lb_image image;
} shot;

static shot take(const lb_recording* r, int frame) {
  shot s = {.image = {.width = WIDTH, .height = HEIGHT}};
  lb_raster* raster = NULL;
  lb_arena_init(&s.arena, NULL);
  s.image.rgb = LB_TAKE(&s.arena, unsigned char, 3 * WIDTH * HEIGHT);
  assert_int_equal(lb_raster_create(r, WIDTH, HEIGHT, &s.arena, &raster), LB_OK);
  lb_raster_draw(raster, frame, &s.image);
  return s;
}

// Pixels much redder than blue, and where their middle is.
static int count_red(const shot* s, double* u) {
  int count = 0;
  *u = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    const unsigned char* p = s->image.rgb + 3 * i;
    if (p[0] > p[2] + 40) {
      *u += i % WIDTH;
      count++;
    }
  }
  *u /= count ? count : 1;
  return count;
}

// A red ball that goes from one side to the other of a square floor.
static fixture* rolling_on(double floor) {
  fixture* f = fixture_make("Ball");
  const int ball = fixture_body(f, "ball", LB_JOINT_PRISMATIC, LB_WORLD);
  fixture_shape(f, ball, LB_SHAPE_SPHERE, lb_vec3_make(0.3, 0, 0), lb_transform_identity(), 0);
  fixture_shape(f, LB_WORLD, LB_SHAPE_BOX, lb_vec3_make(floor, floor, 0.1), fixture_at(0, 0, -0.35),
                1);
  for (int i = 0; i <= 10; i++) {
    const int k = fixture_frame(f, 0.1 * i);
    *fixture_pose(f, k, ball) = fixture_at(0.2 * i - 1, 0, 0);
  }
  return f;
}

static fixture* rolling(void) {
  return rolling_on(20);
}

static void a_ball_is_seen_where_it_is(void** state) {
  (void)state;
  fixture* f = rolling();
  double left, right;
  shot a = take(f->recording, 0), b = take(f->recording, 10);
  const int seen = count_red(&a, &left);
  assert_above(seen, 100);
  assert_near(count_red(&b, &right), seen, 0.3 * seen);
  print_message("%d pixels at %.0f, then %.0f of %d\n", seen, left, right, WIDTH);
  assert_below(left, 0.4 * WIDTH);
  assert_above(right, 0.6 * WIDTH);
  lb_arena_release(&a.arena);
  lb_arena_release(&b.arena);
  fixture_release(f);
}

// The same frame is the same bytes, whatever was drawn before.
static void frames_do_not_depend_on_each_other(void** state) {
  (void)state;
  fixture* f = rolling();
  shot a = take(f->recording, 3);
  shot s = {.image = {.width = WIDTH, .height = HEIGHT}};
  lb_raster* raster = NULL;
  lb_arena_init(&s.arena, NULL);
  s.image.rgb = LB_TAKE(&s.arena, unsigned char, 3 * WIDTH * HEIGHT);
  assert_int_equal(lb_raster_create(f->recording, WIDTH, HEIGHT, &s.arena, &raster), LB_OK);
  lb_raster_draw(raster, 9, &s.image);
  lb_raster_draw(raster, 3, &s.image);
  assert_memory_equal(a.image.rgb, s.image.rgb, 3 * WIDTH * HEIGHT);
  lb_arena_release(&a.arena);
  lb_arena_release(&s.arena);
  fixture_release(f);
}

// A floor that goes on behind the camera is cut there, and the rest of it is seen: all of the lower
// half of the picture but the ball and its shadow.
static void a_floor_that_passes_the_camera_is_cut(void** state) {
  (void)state;
  fixture *small = rolling_on(8), *large = rolling_on(2000);
  shot a = take(small->recording, 0), b = take(large->recording, 0);
  const unsigned char* middle = a.image.rgb + 3 * (WIDTH * (HEIGHT - 8) + WIDTH / 2);
  int alike = 0;
  for (int i = WIDTH * HEIGHT / 2; i < WIDTH * HEIGHT; i++) {
    alike += memcmp(b.image.rgb + 3 * i, middle, 3) == 0;
  }
  print_message("%d of %d pixels are floor\n", alike, WIDTH * HEIGHT / 2);
  assert_above(alike, 0.8 * WIDTH * HEIGHT / 2);
  lb_arena_release(&a.arena);
  lb_arena_release(&b.arena);
  fixture_release(small);
  fixture_release(large);
}

// The zoo's picture as a file, whose chunks are as PNG has them.
static void pictures_are_png_files(void** state) {
  (void)state;
  fixture* f = fixture_zoo(11);
  char dir[] = "/tmp/limber-film-XXXXXX";
  assert_non_null(mkdtemp(dir));
  assert_int_equal(lb_film_picture(f->recording, 2, dir, NULL), LB_OK);
  char path[64];
  snprintf(path, sizeof path, "%s/picture.png", dir);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char head[33];
  assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
  assert_memory_equal(head, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x02\xd0\x08\x02", 26);
  fseek(file, 0, SEEK_END);
  assert_above(ftell(file), 3 * LB_FILM_WIDTH * LB_FILM_HEIGHT);
  fclose(file);
  remove(path);
  rmdir(dir);
  fixture_release(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_is_seen_where_it_is),
      cmocka_unit_test(frames_do_not_depend_on_each_other),
      cmocka_unit_test(a_floor_that_passes_the_camera_is_cut),
      cmocka_unit_test(pictures_are_png_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
