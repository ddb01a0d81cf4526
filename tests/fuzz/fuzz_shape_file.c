/* The reader of shape files: what it accepts, it writes and reads again as the same text. */
#include "sass/shape_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accp_shapes first, second;
    struct accp_error error;
    char *text, *again;
    size_t text_bytes, again_bytes;
    if (accp_shapes_parse("fuzz", data, size, &first, &error) != ACCP_STATUS_OK) return 0;
    if (accp_shapes_format(&first, &text, &text_bytes, &error) != ACCP_STATUS_OK) abort();
    if (accp_shapes_parse("again", text, text_bytes, &second, &error) != ACCP_STATUS_OK) abort();
    if (accp_shapes_format(&second, &again, &again_bytes, &error) != ACCP_STATUS_OK) abort();
    if (strcmp(text, again) != 0) abort();
    free(text);
    free(again);
    accp_shapes_fini(&first);
    accp_shapes_fini(&second);
    return 0;
}
