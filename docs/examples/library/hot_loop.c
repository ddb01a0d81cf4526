/* Reads a cubin, finds the hot loop of each kernel in it, and says what it is made of and how many
 * cycles an iteration is predicted to take at 4 and at 8 warps. No GPU is needed. */
#include "base/file.h"
#include "model/model.h"
#include "sass/shape.h"

#include <stdio.h>

static int fail(const struct accp_error *error)
{
    char line[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES + 8];
    accp_error_line(error, line, sizeof line);
    fprintf(stderr, "hot_loop: %s\n", line);
    return 4;
}

/* Status of one kernel; a kernel without a loop is told, and is no failure. */
static enum accp_status show(const struct accp_cubin *cubin, const struct accp_kernel *kernel,
                             struct accp_error *error)
{
    struct accp_code code;
    struct accp_shape shape;
    const struct accp_loop *loop;
    ACCP_TRY(accp_code_init(cubin, kernel, &code, error));
    if (accp_code_hot_loop(&code, -1, &loop, error) != ACCP_STATUS_OK) {
        printf("%s: %s\n", kernel->name, error->text);
        accp_code_fini(&code);
        return ACCP_STATUS_OK;
    }
    enum accp_status status = accp_shape_of_code(cubin, &code, NULL, NULL, &shape, error);
    if (status == ACCP_STATUS_OK)
        printf("%s: %d registers, %d FFMAs over %d accumulators, %d deep", kernel->name,
               shape.registers, shape.ffma, shape.accumulators, shape.depth);
    for (int warps = 4; warps <= 8 && status == ACCP_STATUS_OK; warps += 4) {
        const struct accp_model_options options = {.warps = warps, .seed = 1};
        struct accp_prediction prediction;
        status = accp_model_predict(&code, loop, &options, &prediction, error);
        if (status == ACCP_STATUS_OK && prediction.known)
            printf(", %.1f cycles predicted at %d warps", prediction.cycles.mean, warps);
        else if (status == ACCP_STATUS_OK)
            printf(", unknown at %d warps (%s)", warps, prediction.unknown);
    }
    putchar('\n');
    accp_code_fini(&code);
    return status;
}

int main(int argc, char **argv)
{
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    struct accp_error error;
    if (argc != 2) {
        fputs("usage: hot_loop FILE.cubin\n", stderr);
        return 4;
    }
    if (accp_file_read(argv[1], ACCP_CUBIN_LIMIT_BYTES, &bytes, &error) != ACCP_STATUS_OK)
        return fail(&error);
    enum accp_status status = accp_cubin_open(argv[1], bytes.data, bytes.size, &cubin, &error);
    for (size_t i = 0; status == ACCP_STATUS_OK && i < cubin.kernel_count; ++i)
        status = show(&cubin, &cubin.kernels[i], &error);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return status == ACCP_STATUS_OK ? 0 : fail(&error);
}
