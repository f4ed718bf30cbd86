// An image as PNG (ISO 15948), its bytes stored as they are: no library is needed to write it, and
// every program reads it.
#include "output/film/png.h"

#include <string.h>

#include "base/npz_format.h"
#include "output/file/out.h"

enum { MOST_STORED = 65535 }; // bytes in a stored block

static void put32(lb_out* out, uint32_t x) {
  const unsigned char byte[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16),
                                 (unsigned char)(x >> 8), (unsigned char)x};
  lb_out_bytes(out, byte, sizeof byte);
}

// Length, name and content, and the checksum of both.
static void put_chunk(lb_out* out, const char* name, const void* data, size_t size) {
  lb_out body = lb_out_make(out->allocator, -1);
  lb_out_bytes(&body, name, 4);
  lb_out_bytes(&body, data, size);
  put32(out, (uint32_t)size);
  if (body.status == LB_OK) {
    lb_out_bytes(out, body.data, body.size);
    put32(out, lb_npz_checksum(body.data, body.size));
  } else {
    out->status = body.status;
  }
  lb_out_release(&body);
}

static uint32_t adler(const unsigned char* data, size_t size) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < size; i++) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// zlib's envelope around stored blocks.
static void pack(lb_out* out, const unsigned char* data, size_t size) {
  const unsigned char head[2] = {0x78, 0x01};
  lb_out_bytes(out, head, 2);
  for (size_t at = 0; at < size; at += MOST_STORED) {
    const size_t n = size - at < MOST_STORED ? size - at : MOST_STORED;
    const unsigned char block[5] = {at + n == size, (unsigned char)n, (unsigned char)(n >> 8),
                                    (unsigned char)~n, (unsigned char)(~n >> 8)};
    lb_out_bytes(out, block, sizeof block);
    lb_out_bytes(out, data + at, n);
  }
  put32(out, adler(data, size));
}

void lb_png_write(lb_out* out, const void* of) {
  static const unsigned char MAGIC[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const lb_image* image = of;
  const size_t line = 3 * (size_t)image->width;
  lb_out head = lb_out_make(out->allocator, -1), raw = lb_out_make(out->allocator, -1),
         packed = lb_out_make(out->allocator, -1);
  const unsigned char kind[5] = {8, 2, 0, 0, 0}; // bits, RGB
  put32(&head, (uint32_t)image->width);
  put32(&head, (uint32_t)image->height);
  lb_out_bytes(&head, kind, sizeof kind);
  for (int v = 0; v < image->height; v++) {
    lb_out_bytes(&raw, "", 1); // no filter
    lb_out_bytes(&raw, image->rgb + (size_t)v * line, line);
  }
  if (raw.status == LB_OK) {
    pack(&packed, (const unsigned char*)raw.data, raw.size);
  }
  const bool ok = head.status == LB_OK && raw.status == LB_OK && packed.status == LB_OK;
  lb_out_bytes(out, MAGIC, sizeof MAGIC);
  if (ok) {
    put_chunk(out, "IHDR", head.data, head.size);
    put_chunk(out, "IDAT", packed.data, packed.size);
    put_chunk(out, "IEND", "", 0);
  } else {
    out->status = LB_NO_MEMORY;
  }
  lb_out_release(&head);
  lb_out_release(&raw);
  lb_out_release(&packed);
}
