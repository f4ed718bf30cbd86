// A picture's items as SVG. Round shapes are nested strokes that grow lighter towards the light,
// flat ones are polygons that are shaded already.
#include <math.h>

#include "model/use/link.h"
#include "output/file/writers.h"
#include "output/report/picture_items.h"
#include "output/report/srgb.h"

static const double PI = 3.14159265358979323846;

enum { PATH_POINTS = 160 }; // of a path

// A colour times `shade`, moved towards white by `shine`.
static void svg_color(lb_out* out, const double color[4], double shade, double shine) {
  static const char digit[] = "0123456789abcdef";
  char text[8] = "#";
  for (int i = 0; i < 3; i++) {
    const double c = fmin(1, shade * color[i]);
    const int byte = lb_srgb(c + shine * (1 - c));
    text[1 + 2 * i] = digit[byte >> 4];
    text[2 + 2 * i] = digit[byte & 15];
  }
  lb_out_text(out, text);
}

static void svg_point(lb_out* out, const char* before, point p) {
  lb_print(out, "%s%.1f %.1f", before, p.u, p.v);
}

static void svg_polygon(lb_out* out, const item* it) {
  lb_out_text(out, "<path color=\"");
  svg_color(out, it->color, 1, 0);
  lb_out_text(out, "\" d=\"");
  for (int i = 0; i < it->n; i++) {
    svg_point(out, i ? "L" : "M", it->corner[i]);
  }
  lb_out_text(out, "Z\"/>");
}

static void svg_stroke(lb_out* out, const item* it, double width, point move) {
  const point from = {it->corner[0].u - move.u, it->corner[0].v - move.v};
  const point to = {it->corner[1].u - move.u, it->corner[1].v - move.v};
  svg_point(out, " d=\"M", from);
  svg_point(out, "L", to);
  lb_print(out, "\" stroke-width=\"%.1f\"/>", 2 * it->radius * width);
}

static void svg_ellipse(lb_out* out, const item* it, double width, point move) {
  const point at = {it->corner[0].u - move.u, it->corner[0].v - move.v};
  lb_print(out, " rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f %.1f)rotate(%.1f)\"/>",
           it->radius * width, it->across * width, at.u, at.v, it->angle * 180 / PI);
}

// Layers of a round thing: narrower, lighter, and moved towards the light. Large ones need more of
// them to look smooth.
static void svg_round(lb_out* out, const item* it) {
  const bool stroke = it->kind == STROKE;
  const double size = stroke ? it->radius : it->across;
  const int layers = (int)fmin(16, 3 + size / 2);
  for (int i = 0; i < layers; i++) {
    const double t = (double)i / layers;
    const point move = {0.28 * t * size, 0.34 * t * size};
    lb_out_text(out, stroke ? "<path fill=\"none\" color=\"" : "<ellipse color=\"");
    svg_color(out, it->color, 0.42 + 0.85 * t, fmax(0, 0.5 * (t - 0.6)));
    lb_out_text(out, "\"");
    (stroke ? svg_stroke : svg_ellipse)(out, it, 1 - 0.92 * t, move);
  }
}

static void svg_item(lb_out* out, const item* it) {
  const bool clear = it->color[3] < 1;
  if (clear) {
    lb_print(out, "<g opacity=\"%.2f\">", it->color[3]);
  }
  it->kind == POLYGON ? svg_polygon(out, it) : svg_round(out, it);
  lb_out_text(out, clear ? "</g>" : "");
}

// Where the bodies' balls touch the ground from above, all in one tone.
static void svg_shadows(lb_out* out, const picture* p, int frame) {
  const lb_model* m = p->r->model;
  const double flat = sin(p->view->elevation);
  lb_out_text(out, "<g opacity=\".13\">");
  for (int i = 0; i < m->look.nshape; i++) {
    const lb_model_shape* s = &m->look.shape[i];
    if (!lb_body_moves(m, s->body) || !is_drawn(p, i)) {
      continue;
    }
    const lb_transform X = world_pose(p->r, frame, s);
    const double reach = pow(lb_shape_volume(&s->shape) / 4, 1.0 / 3) * p->cam.scale;
    const point c = project(&p->cam, lb_vec3_make(X.p.x, X.p.y, p->view->floor));
    if (isfinite(c.u + c.v) && c.v < LB_PICTURE_HEIGHT + reach) {
      lb_print(out, "<ellipse rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f %.1f)\"/>",
               fmax(1.5, reach), fmax(1.5, reach) * flat, c.u, c.v);
    }
  }
  lb_out_text(out, "</g>");
}

static void svg_path(lb_out* out, const picture* p, int body, int last, const char* opacity) {
  const int shown = lb_frames_shown(last + 1, PATH_POINTS);
  lb_print(out,
           "<path fill=\"none\" stroke=\"var(--accent,#c2541b)\" stroke-width=\"1\" "
           "opacity=\"%s\" d=\"",
           opacity);
  for (int i = 0; i < shown; i++) {
    const int f = lb_frame_shown(last + 1, shown, i);
    const point at = project(&p->cam, lb_view_trace(p->r, f, body));
    if (isfinite(at.u + at.v)) {
      svg_point(out, i ? "L" : "M", at);
    }
  }
  lb_out_text(out, "\"/>");
}

void lb_picture_svg(lb_out* out, const picture* p, const int* sequence, int frame) {
  lb_print(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\"><g "
           "fill=\"currentColor\" stroke=\"currentColor\" stroke-width=\".5\" "
           "stroke-linejoin=\"round\" stroke-linecap=\"round\">",
           LB_PICTURE_WIDTH, LB_PICTURE_HEIGHT);
  int i = 0;
  // The backdrop, then shadows and paths on it, then the rest.
  for (bool laid = false; i < p->nitem || !laid; i++) {
    if (!laid && (i == p->nitem || !is_backdrop(p, &p->item[sequence[i]]))) {
      laid = true;
      lb_out_text(out, "<g stroke=\"none\" fill=\"#000\">");
      svg_shadows(out, p, frame);
      lb_out_text(out, "</g>");
      for (int k = 0; k < p->view->ntrace && p->view->whole; k++) {
        svg_path(out, p, p->view->trace[k], p->r->nframe - 1, ".2");
        svg_path(out, p, p->view->trace[k], frame, ".8");
      }
    }
    if (i < p->nitem) {
      svg_item(out, &p->item[sequence[i]]);
    }
  }
  lb_out_text(out, "</g></svg>");
}
