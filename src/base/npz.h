// NumPy's .npz files: named arrays in a zip archive, stored without compression, so that
// numpy.load() opens what Limber writes and Limber reads what numpy.savez() writes. Both ways work
// on bytes in memory; whoever has a file brings them.
//
// It lives in this room because everything above a scene may want arrays from files.
#pragma once
#include "base/arena.h"
#include "limber/status.h"

/// Type of an array's elements. Integers of four or eight bytes are read, and must fit an int; four
/// are written.
typedef enum lb_npz_type {
  LB_NPZ_NUMBER, ///< double
  LB_NPZ_INT,    ///< int
  LB_NPZ_TEXT,   ///< const char*, UTF-8
  LB_NPZ_OTHER   ///< read past: nothing asked for is of this type
} lb_npz_type;

enum { LB_NPZ_MOST_DIM = 4 };

/// An array by rows (C order).
typedef struct lb_npz_array {
  const char* name;
  lb_npz_type type;
  int ndim;
  int shape[LB_NPZ_MOST_DIM];
  const void* data;  ///< of the type above
  const char* fault; ///< of LB_NPZ_OTHER: why it cannot be used
} lb_npz_array;

/// Number of elements: 1 for a scalar.
size_t lb_npz_count(const lb_npz_array* array);

/// The bytes of a file that holds these arrays, in `arena`.
lb_status lb_npz_pack(const lb_npz_array* array, int count, lb_arena* arena, char** bytes,
                      size_t* size);

typedef struct lb_npz {
  const char* name; ///< the file's, for messages
  int count;
  lb_npz_array* array;
} lb_npz;

/// Read a file's bytes; the arrays are copied into `arena`. LB_INVALID when it is not such a file,
/// is cut short or damaged.
lb_status lb_npz_parse(const char* bytes, size_t size, const char* name, lb_arena* arena,
                       lb_npz* npz, lb_error* err);

/// The array of that name, or NULL.
const lb_npz_array* lb_npz_find(const lb_npz* npz, const char* name);

/// The data of an array that must be there, of this type and shape. shape[i] < 0 takes any length,
/// which is then written there. NULL after a message that says what was wanted and what was found.
const void* lb_npz_get(const lb_npz* npz, const char* name, lb_npz_type type, int ndim, int* shape,
                       lb_error* err);
