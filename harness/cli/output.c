#include "cli/output.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdlib.h>

enum accp_status accp_output_open(struct accp_output *output, const char *file,
                                  struct accp_error *error)
{
    *output = (struct accp_output){.file = file, .stream = stdout};
    if (file) output->stream = open_memstream(&output->text, &output->bytes);
    if (output->stream) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "no memory to write it");
}

enum accp_status accp_output_close(struct accp_output *output, enum accp_status status,
                                   struct accp_error *error)
{
    if (!output->file) return status;
    bool failed = ferror(output->stream) != 0;
    if (fclose(output->stream) != 0) failed = true;
    if (failed && status == ACCP_STATUS_OK)
        status = accp_fail(error, ACCP_STATUS_MEMORY, output->file, -1, "no memory to write it");
    if (status == ACCP_STATUS_OK)
        status = accp_file_write_atomic(output->file, output->text, output->bytes, error);
    free(output->text);
    return status;
}
