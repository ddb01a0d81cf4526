/* Shape files ("accprobe-shape/1"): the shapes of one cubin, a kernel a line. */
#ifndef ACCP_SASS_SHAPE_FILE_H
#define ACCP_SASS_SHAPE_FILE_H

#include "sass/listing.h"
#include "sass/shape.h"

/* Where a golden shape came from; `reason` is "" in any other shape file. */
struct accp_shapes_record {
    char date[32], tool[32], commit[64], reason[256];
};

struct accp_shapes {
    char arch[16];
    char compiler_name[ACCP_CUBIN_TEXT_BYTES], compiler_version[ACCP_CUBIN_TEXT_BYTES],
        compiler_flags[ACCP_CUBIN_TEXT_BYTES];
    size_t count;
    struct accp_shape *shapes;     /* owned; in the order of the cubin or file */
    struct accp_listings listings; /* of the hot loops; empty unless they were asked for */
    struct accp_shapes_record record;
    char as[32]; /* a golden as it stands in its file: the build whose golden beside it holds the
                    shapes, and then there are none here; else "" */
};

/* How much of the name of a build is its version: all of "13.0.88", and of "13.0.88-nvrtc" what stands
 * before the front end, which is named where NVRTC and nvcc of one version make different code and the
 * plain name is nvcc's. 0: `name` is neither. */
size_t accp_build_version(const char *name);

/* Whether it is wanted: a kernel by its symbol, or one of the roles that share it (else NULL). */
typedef bool accp_shape_wants(const char *kernel, const struct accp_role *role, void *context);

/* Shapes every kernel of an open cubin, or what `wants` accepts (NULL: all); of a kernel that roles
 * share, each role's loop, unless --loop chooses one. Pair with accp_shapes_fini; cleared on
 * failure. Kernels without a hot loop are left out and counted in
 * *skipped (may be NULL). Errors: as accp_shape_make otherwise; INPUT when not one kernel remains,
 * with the reason of the first. */
enum accp_status accp_shapes_of_cubin(const char *file, const struct accp_cubin *cubin,
                                      accp_shape_wants *wants, void *context,
                                      const struct accp_shape_options *options,
                                      struct accp_shapes *shapes, size_t *skipped,
                                      struct accp_error *error);
void accp_shapes_fini(struct accp_shapes *shapes);

/* The shape of that kernel (or role), the first of several roles that share it; NULL when there is none. */
const struct accp_shape *accp_shapes_find(const struct accp_shapes *shapes, const char *name);

/* Reads a shape file; the caller owns *shapes on success. INPUT: another format, missing or
 * mistyped members, numbers out of range, a kernel or a role of a shared one twice, none at all. accp_shapes_read follows a
 * golden to the one beside it that it names, which must have shapes of its own: its `as` is "". */
enum accp_status accp_shapes_read(const char *file, struct accp_shapes *shapes,
                                  struct accp_error *error);
enum accp_status accp_shapes_parse(const char *file, const void *data, size_t size,
                                   struct accp_shapes *shapes, struct accp_error *error);

/* The file's text, in a stable order: an object a kernel, a row in a golden, neither where `as`
 * names another. *text is malloc'd, owned by the caller. MEMORY. */
enum accp_status accp_shapes_format(const struct accp_shapes *shapes, char **text,
                                    size_t *text_bytes, struct accp_error *error);

/* accp_shapes_format and accp_file_write_atomic. */
enum accp_status accp_shapes_write(const char *file, const struct accp_shapes *shapes,
                                   struct accp_error *error);

#endif
