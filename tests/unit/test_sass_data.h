/* What the tests of the SASS module share: the cubins of tests/data/sass, opened. */
#ifndef ACCP_TEST_SASS_DATA_H
#define ACCP_TEST_SASS_DATA_H

#include "base/file.h"
#include "sass/cubin.h"
#include "sass/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

struct opened {
    struct accp_bytes bytes;
    struct accp_cubin cubin;
};

static inline struct accp_bytes data_read(const char *name)
{
    char path[1024];
    struct accp_bytes bytes;
    struct accp_error error;
    snprintf(path, sizeof path, ACCP_SOURCE_DIR "/tests/data/sass/%s.cubin", name);
    assert_int_equal(accp_file_read(path, ACCP_CUBIN_LIMIT_BYTES, &bytes, &error), ACCP_STATUS_OK);
    return bytes;
}

static inline struct opened data_open(const char *name)
{
    struct opened opened = {.bytes = data_read(name)};
    struct accp_error error;
    assert_int_equal(
        accp_cubin_open(name, opened.bytes.data, opened.bytes.size, &opened.cubin, &error),
        ACCP_STATUS_OK);
    return opened;
}

static inline void data_close(struct opened *opened)
{
    accp_cubin_close(&opened->cubin);
    accp_bytes_fini(&opened->bytes);
}

/* The shape of the first kernel, or of the one named. */
static inline struct accp_shape data_shape(const struct opened *opened, const char *kernel)
{
    struct accp_shape shape;
    struct accp_error error;
    const struct accp_kernel *found =
        kernel ? accp_cubin_find(&opened->cubin, kernel) : &opened->cubin.kernels[0];
    assert_non_null(found);
    assert_int_equal(accp_shape_make(&opened->cubin, found, NULL, NULL, &shape, &error),
                     ACCP_STATUS_OK);
    return shape;
}

static inline struct accp_shape data_shape_of_file(const char *name)
{
    struct opened opened = data_open(name);
    struct accp_shape shape = data_shape(&opened, NULL);
    data_close(&opened);
    return shape;
}

#endif
