/* Portfolio weights from raw scores, in C: non-negative, at most 40 % each, summing to one, whatever the scores are. */
#include <softradial/softradial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a call failed. */
static void require(sr_status status) {
  if (status == SR_OK) return;
  fprintf(stderr, "%s: %s\n", sr_status_name(status), sr_error_text(NULL));
  exit(EXIT_FAILURE);
}

static void print_rows(const char* title, const float* numbers, size_t rows, size_t dim) {
  printf("%s\n", title);
  for (size_t i = 0; i < rows * dim; ++i) printf("%7.4f%s", numbers[i], i % dim == dim - 1 ? "\n" : " ");
}

int main(void) {
  enum { kRows = 3, kDim = 4 };
  const float u[kRows * kDim] = {0.1f, 0.2f, 0.0f, -0.1f, 3.0f, -1.0f, 0.5f, 0.5f, 1e6f, -1e6f, 2e6f, 0.0f};
  const float grad_x[kRows * kDim] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  float x[kRows * kDim];
  float grad_u[kRows * kDim];
  const sr_const_rows_f32 in = {u, kRows, kDim, kDim};

  const char* json = "{\"type\": \"capped_simplex\", \"dim\": 4, \"cap\": 0.4}";
  const char* options = "{\"method\": \"soft_radial\", \"contraction\": \"rational\", \"lambda\": 1}";
  sr_set* set = NULL;
  sr_layer* layer = NULL;
  require(sr_set_parse(json, strlen(json), &set));
  require(sr_layer_make(set, options, strlen(options), &layer));

  require(sr_project_f32(layer, in, (sr_rows_f32){x, kRows, kDim, kDim}));
  print_rows("weights", x, kRows, kDim);

  require(sr_project_vjp_f32(layer, in, (sr_const_rows_f32){grad_x, kRows, kDim, kDim},
                             (sr_rows_f32){grad_u, kRows, kDim, kDim}));
  print_rows("gradient of the first weight", grad_u, 2, kDim);

  double violation[kRows];
  require(sr_set_violation_f32(set, (sr_const_rows_f32){x, kRows, kDim, kDim}, violation, kRows));
  for (int i = 0; i < kRows; ++i) {
    if (violation[i] != 0) return EXIT_FAILURE;
  }

  /* An error is a status and one line of text. */
  const sr_status status = sr_project_f32(layer, (sr_const_rows_f32){u, kRows, 3, 3}, (sr_rows_f32){x, kRows, 3, 3});
  printf("%s: %s\n", sr_status_name(status), sr_error_text(NULL));

  sr_layer_free(layer);
  sr_set_free(set);
  return EXIT_SUCCESS;
}
