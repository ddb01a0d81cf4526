/* The cubin reader and all that is done with a cubin on the CPU. An input that begins as an ELF
 * file is opened as a cubin; of any other, the first byte chooses an arch and the rest is decoded
 * as instructions of one kernel. */
#include "sass/dealt.h"
#include "sass/diff.h"
#include "sass/selected.h"
#include "sass/shape_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KERNELS = 4, INSTRUCTIONS = 512 };

/* As of a kernel that roles share. */
static void deal_loops(const struct accp_code *code)
{
    static const int selectors[] = {1, 7, 16};
    const struct accp_loop *loop;
    struct accp_error error;
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; ++i) {
        if (accp_selected_loop(code, selectors[i], &loop, &error) != ACCP_STATUS_OK) abort();
        if (loop && (loop < code->loops || loop >= code->loops + code->loop_count ||
                     loop->floating_point == 0))
            abort();
    }
    const struct accp_role *role = accp_role_find("dispatch.chain7.acc16");
    if (accp_dealt_loop(code, role, &loop, &error) == ACCP_STATUS_OK && !loop) abort();
}

static void use_kernel(const struct accp_cubin *cubin, const struct accp_kernel *kernel)
{
    struct accp_code code;
    struct accp_error error;
    if (kernel->code_bytes > INSTRUCTIONS * ACCP_INSTRUCTION_BYTES) return;
    if (accp_code_init(cubin, kernel, &code, &error) != ACCP_STATUS_OK) return;
    struct accp_renaming renaming;
    accp_renaming_init(&renaming);
    for (size_t i = 0; i < code.count; ++i) {
        char line[ACCP_NORMAL_TEXT_BYTES], text[ACCP_INSTRUCTION_TEXT_BYTES];
        accp_normal_line(&code, i, &renaming, line, sizeof line);
        accp_instruction_text(&code.instructions[i], i * 16, text, sizeof text);
    }
    deal_loops(&code);
    struct accp_shape shape;
    for (size_t i = 0; i < code.loop_count && i < KERNELS; ++i) {
        struct accp_shape_options options = {.loop_address = (int64_t)code.loops[i].head * 16};
        if (accp_shape_of_code(cubin, &code, &accp_roles[i], &options, &shape, &error) !=
            ACCP_STATUS_OK)
            abort(); /* a loop that was found can be shaped */
    }
    accp_code_fini(&code);
}

static void use_cubin(const uint8_t *data, size_t size)
{
    struct accp_cubin cubin;
    struct accp_error error;
    if (accp_cubin_open("fuzz", data, size, &cubin, &error) != ACCP_STATUS_OK) {
        if (cubin.kernels || error.text[0] == 0) abort();
        return;
    }
    for (size_t i = 0; i < cubin.kernel_count && i < KERNELS; ++i)
        use_kernel(&cubin, &cubin.kernels[i]);
    struct accp_diff diff;
    if (cubin.kernel_count > 1 && cubin.kernels[1].code_bytes < INSTRUCTIONS * 16 &&
        cubin.kernels[0].code_bytes < INSTRUCTIONS * 16 &&
        accp_diff_kernels(&cubin, &cubin.kernels[0], &cubin, &cubin.kernels[1], NULL, &diff,
                          &error) != ACCP_STATUS_OK)
        abort();
    accp_cubin_close(&cubin);
}

static void use_words(const uint8_t *data, size_t size)
{
    struct accp_kernel kernel = {.name = "fuzz",
                                 .code = data + 1,
                                 .code_bytes = (size - 1) / 16 * 16,
                                 .parameter_offset = 0x210,
                                 .parameter_bytes = 64,
                                 .registers = 32};
    const struct accp_arch *arch = &accp_arches[data[0] % ACCP_ARCH_COUNT];
    struct accp_cubin cubin = {.arch = arch, .sm = atoi(arch->name + 3)};
    use_kernel(&cubin, &kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data,
                            "\x7f"
                            "ELF",
                            4) == 0)
        use_cubin(data, size);
    else if (size > 16)
        use_words(data, size);
    return 0;
}
