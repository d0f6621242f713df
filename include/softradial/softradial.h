/* softradial for C, and for every language that can call C: sets, and layers that map rows of numbers into them.
 *
 *   sr_set* set;
 *   sr_layer* layer;
 *   const char* json = "{\"type\": \"capped_simplex\", \"dim\": 3, \"cap\": 0.5}";
 *   if (sr_set_parse(json, strlen(json), &set) != SR_OK || sr_layer_make(set, NULL, 0, &layer) != SR_OK) ...
 *   sr_project_f64(layer, (sr_const_rows_f64){u, 2, 3, 3}, (sr_rows_f64){x, 2, 3, 3});
 *
 * Status. Every function that can fail returns an sr_status; sr_error_text() says in one line what was wrong with the last
 * call that failed on the same thread. No exception and no signal crosses this interface: a null pointer, a length that
 * does not fit or a text that is no JSON is an error like any other, found before anything is computed. After an error
 * the outputs hold nothing of use, and a handle that was asked for is null.
 *
 * Handles. A set and a layer never change once they are made, and may be used by many threads at once. A layer keeps what
 * it needs of its set. Whoever makes a handle frees it; freeing null is allowed.
 *
 * Text goes in as a pointer and a length; no terminator is needed. Text comes out into a buffer of the caller, and `*length`
 * is the length of the text. With buffer = NULL and capacity = 0 the call only reports that length; a buffer that is too
 * small is an error. No terminator is written.
 *
 * Rows. A batch is `count` rows of `dim` contiguous numbers, consecutive rows `stride` numbers apart: stride = dim where
 * they are packed. The rows of a result must not overlap each other. A result must not overlap an argument, except in
 * sr_project and sr_evaluate of soft_radial, hard_radial and gauge_map, where x may be u itself. Rows do not depend on each
 * other; a row with a NaN or an infinity gives NaN in that row alone.
 *
 * Precision. Sets keep their data in double. A layer is compiled for a precision at its first call in that precision. This
 * call takes longer than others and may fail; a call with 0 rows compiles in advance.
 */
#ifndef SOFTRADIAL_SOFTRADIAL_H
#define SOFTRADIAL_SOFTRADIAL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define SR_API __attribute__((visibility("default")))
#else
#define SR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Rises whenever a program that was built against an earlier header has to be built again. */
#define SR_ABI_VERSION 1

typedef struct sr_set sr_set;
typedef struct sr_layer sr_layer;

typedef int32_t sr_status;
enum {
  SR_OK = 0,
  SR_INVALID_ARGUMENT = 1,    /* a null pointer, numbers that are not aligned */
  SR_INVALID_SET = 2,         /* the data of a set are wrong, or the method does not take this set */
  SR_INVALID_OPTION = 3,      /* an option is unknown or out of its domain */
  SR_NO_INTERIOR = 4,         /* the set contains no point, or none with room around it inside its affine hull */
  SR_ANCHOR_NOT_INTERIOR = 5, /* the anchor is outside the set, on its boundary or too close to it */
  SR_SHAPE = 6,               /* a width, a count, a stride or a length does not fit */
  SR_NOT_FINITE = 7,          /* a NaN or an infinity, where the layer was told to check */
  SR_NOT_AVAILABLE = 8,       /* the method does not have this quantity */
  SR_BUFFER_TOO_SMALL = 9,    /* a text does not fit the buffer; `*length` says what is needed */
  SR_OUT_OF_MEMORY = 10,
  SR_INTERNAL = 11
};

/* The name of a status: "SR_SHAPE" and so on; "unknown status" for any other number. */
SR_API const char* sr_status_name(sr_status status);
/* One line about the last call that failed on this thread; empty if no call has failed. It stays until the next failure and
 * ends with a zero byte. `length` may be null. */
SR_API const char* sr_error_text(size_t* length);

/* The project's version, "MAJOR.MINOR.PATCH"; and the SR_ABI_VERSION that the library was built with. */
SR_API const char* sr_version(void);
SR_API int32_t sr_abi_version(void);

typedef struct sr_rows_f32 {
  float* data;
  size_t count;
  size_t dim;
  ptrdiff_t stride;
} sr_rows_f32;
typedef struct sr_const_rows_f32 {
  const float* data;
  size_t count;
  size_t dim;
  ptrdiff_t stride;
} sr_const_rows_f32;
typedef struct sr_rows_f64 {
  double* data;
  size_t count;
  size_t dim;
  ptrdiff_t stride;
} sr_rows_f64;
typedef struct sr_const_rows_f64 {
  const double* data;
  size_t count;
  size_t dim;
  ptrdiff_t stride;
} sr_const_rows_f64;

/* Sets. */

/* Read a set from the text of a SET.json, or from a SET.json file (docs/set_json.md). */
SR_API sr_status sr_set_parse(const char* json, size_t length, sr_set** out);
SR_API sr_status sr_set_load(const char* path, size_t length, sr_set** out);

/* One field of a set, under its name in SET.json. It holds one of three things. Numbers: shape[0] x ... x shape[rank - 1] of
 * them, row by row (rank 0: one number; 1: a list; 2: a matrix; 3: a list of matrices); an infinity is an open side. A
 * sparse matrix: rank 2, num_entries numbers, the k-th at (entry_rows[k], entry_columns[k]). Or sets. Members that a field
 * does not use are null or 0. */
typedef struct sr_field {
  const char* name;
  size_t name_length;
  const double* numbers;
  size_t rank;
  size_t shape[3];
  const size_t* entry_rows;
  const size_t* entry_columns;
  size_t num_entries;
  const sr_set* const* sets;
  size_t num_sets;
} sr_field;
/* Makes a set from arrays: type "polyhedron" with the fields "A" and "b", ... */
SR_API sr_status sr_set_make(const char* type, size_t type_length, const sr_field* fields, size_t num_fields,
                             sr_set** out);
/* The same set with the caller's own anchor, which layers check and use. */
SR_API sr_status sr_set_with_anchor(const sr_set* set, const double* anchor, size_t length, sr_set** out);
SR_API void sr_set_free(sr_set* set);

SR_API sr_status sr_set_dim(const sr_set* set, size_t* out);
/* Writes the set as SET.json, which reads back as the same set. */
SR_API sr_status sr_set_to_json(const sr_set* set, char* buffer, size_t capacity, size_t* length);
/* One line for people: "capped_simplex(dim=50, cap=0.05, sum=1)". */
SR_API sr_status sr_set_to_text(const sr_set* set, char* buffer, size_t capacity, size_t* length);
/* Looks for an interior point: search is "auto" (also where it is empty), "chebyshev" or "analytic". `anchor` has room for
 * dim numbers; `slack`, the smallest slack there, and `hull_dim`, the dimension of the set's affine hull, may be null. */
SR_API sr_status sr_set_find_anchor(const sr_set* set, const char* search, size_t search_length, double* anchor,
                                    size_t length, double* slack, size_t* hull_dim);
/* How far each row lies outside the set: the largest -slack of an inequality, or |residual| of an equality that is
 * off by more than the rounding of x; 0 for a point of the set, NaN for a row with a NaN. `out` has a place for each row. */
SR_API sr_status sr_set_violation_f32(const sr_set* set, sr_const_rows_f32 x, double* out, size_t length);
SR_API sr_status sr_set_violation_f64(const sr_set* set, sr_const_rows_f64 x, double* out, size_t length);

/* The table of all types as JSON: [{"name", "title", "formula", "fields": [{"name", "kind", "required", "otherwise"}]}]. */
SR_API sr_status sr_set_types(char* buffer, size_t capacity, size_t* length);

/* Layers. */

/* `options` is a JSON object, or empty for soft_radial with its defaults:
 *   "method"         "soft_radial", "hard_radial", "gauge_map", "softmax", "orthogonal", "dc3", ... (docs/methods)
 *   "contraction"    "rational", "exponential", "hyperbolic"
 *   "anchor"         "auto", "chebyshev", "analytic", or a list of numbers: a point inside
 *   "check_finite"   true: a NaN or an infinity in a row is the error SR_NOT_FINITE, which names it
 * and the method's numbers by their names: {"method": "soft_radial", "lambda": 2, "epsilon": 0.05}. soft_radial's default
 * lambda is "auto": in units of the set. */
SR_API sr_status sr_layer_make(const sr_set* set, const char* options, size_t length, sr_layer** out);
SR_API void sr_layer_free(sr_layer* layer);

/* The width of x and the width of u. They differ for ray_scalar (dim + 1) and hop (the dimension of the hull). */
SR_API sr_status sr_layer_dim(const sr_layer* layer, size_t* out);
SR_API sr_status sr_layer_input_dim(const sr_layer* layer, size_t* out);
/* The layer's options as JSON, with every number of the method and the anchor that was found; they make the same layer. */
SR_API sr_status sr_layer_to_json(const sr_layer* layer, char* buffer, size_t capacity, size_t* length);
/* The interior point that the layer keeps, dim numbers, and the dimension of the set's affine hull. SR_NOT_AVAILABLE for
 * methods without an anchor. */
SR_API sr_status sr_layer_anchor(const sr_layer* layer, double* anchor, size_t length);
SR_API sr_status sr_layer_hull_dim(const sr_layer* layer, size_t* out);

/* x for each row of u. `evaluate` is the layer as it is deployed: dc3 and hardnet end with an exact projection; the other
 * methods do the same in both. */
SR_API sr_status sr_project_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_rows_f32 x);
SR_API sr_status sr_project_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_rows_f64 x);
SR_API sr_status sr_evaluate_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_rows_f32 x);
SR_API sr_status sr_evaluate_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_rows_f64 x);
/* grad_u = J' grad_x, J the Jacobian of `project` at u. */
SR_API sr_status sr_project_vjp_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_const_rows_f32 grad_x,
                                    sr_rows_f32 grad_u);
SR_API sr_status sr_project_vjp_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_const_rows_f64 grad_x,
                                    sr_rows_f64 grad_u);

/* The rest is for the methods with an inverse: soft_radial, hard_radial, gauge_map, soft_orthogonal and mirror; sr_slack only
 * for the first three. The others return SR_NOT_AVAILABLE. */

/* tangent_x = J tangent_u. */
SR_API sr_status sr_project_jvp_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_const_rows_f32 tangent_u,
                                    sr_rows_f32 tangent_x);
SR_API sr_status sr_project_jvp_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_const_rows_f64 tangent_u,
                                    sr_rows_f64 tangent_x);
/* The u on the set's affine hull that is mapped to x; NaN in rows outside the set. */
SR_API sr_status sr_inverse_f32(const sr_layer* layer, sr_const_rows_f32 x, sr_rows_f32 u);
SR_API sr_status sr_inverse_f64(const sr_layer* layer, sr_const_rows_f64 x, sr_rows_f64 u);
/* log |det J| on the directions of the hull, one number a row; -infinity where J is singular. */
SR_API sr_status sr_log_abs_det_f32(const sr_layer* layer, sr_const_rows_f32 u, float* out, size_t length);
SR_API sr_status sr_log_abs_det_f64(const sr_layer* layer, sr_const_rows_f64 u, double* out, size_t length);
/* 1 - the gauge of the result: 1 at the anchor, towards 0 at the boundary, never 0. One number a row. */
SR_API sr_status sr_slack_f32(const sr_layer* layer, sr_const_rows_f32 u, float* out, size_t length);
SR_API sr_status sr_slack_f64(const sr_layer* layer, sr_const_rows_f64 u, double* out, size_t length);

/* The table of all methods as JSON: [{"name", "title", "anchor", "map", "contraction", "options": [{"name", "otherwise"}]}];
 * "map" is true for methods with an inverse and the quantities above. */
SR_API sr_status sr_methods(char* buffer, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif

#endif
