#include "codes_template.h"

#include "calibration_text.h"

#include <string.h>

/* Stall counts that let any result be read, a predicate by a branch among them, and a branch be taken at once. */
enum { SAFE_STALL = 6, TEST_STALL = 13, BRANCH_STALL = 5, KEEPING_MOST = 11, WAIT_FOR_ALL = 0x3f };

/* Cycles by which each bit of `select` puts a warp off, from the lowest on, beyond those of the branch over them. */
static const int delay_cycles[ACCP_CODES_DELAYS] = {1, 2, 4, 8, 16, 32, 32};
enum { OVER_CYCLES = 5 };

struct writer {
    const struct codes_template *template;
    uint8_t *code; /* the kernel's */
    size_t at;     /* may go beyond the slots: nothing is written there */
};

static void put_words(struct writer *writer, const uint64_t words[2])
{
    const struct calibration_template *base = &writer->template->base;
    if (writer->at < base->first + base->count)
        memcpy(writer->code + writer->at * ACCP_INSTRUCTION_BYTES, words, ACCP_INSTRUCTION_BYTES);
    ++writer->at;
}

static void put(struct writer *writer, uint64_t low, uint64_t high, unsigned stall,
                unsigned wait_mask)
{
    const uint64_t control = stall | (uint64_t)(stall <= KEEPING_MOST) << 4 | 7U << 5 | 7U << 8 |
                             (uint64_t)wait_mask << 11;
    const uint64_t words[2] = {low, high | control << 41};
    put_words(writer, words);
}

static void put_nops(struct writer *writer, int count, unsigned stall)
{
    for (int i = 0; i < count; ++i)
        put(writer, 0x7918, 0, stall, 0);
}

static void put_quiet(struct writer *writer, bool reads)
{
    for (int i = 0; i < CODES_QUIET; ++i) {
        uint64_t words[2];
        codes_quiet(reads ? writer->template->registers[i] : -1, words);
        put_words(writer, words);
    }
}

/* Jumps to `to` if the predicate is as `wanted`. */
static void put_jump(struct writer *writer, size_t to, int predicate, bool wanted)
{
    uint64_t words[2] = {0x947 | (uint64_t)predicate << 12 | (uint64_t)!wanted << 15, 0x03800000};
    calibration_aim(words, (int64_t)to - (int64_t)writer->at);
    put(writer, words[0], words[1], BRANCH_STALL, 0);
}

/* Sets the predicate to whether bit `bit` of `select` is set: LOP3.LUT P, RZ, R, 1 << bit, RZ, 0xc0, !PT. */
static void put_test(struct writer *writer, int bit)
{
    const struct codes_template *template = writer->template;
    put(writer, UINT64_C(1) << (32 + bit) | 0xff7812 | (uint64_t) template->select << 24,
        0x0780c0ff | (uint64_t) template->predicate << 17, TEST_STALL, 0);
}

static void put_delays(struct writer *writer)
{
    for (int bit = 0; bit < ACCP_CODES_DELAYS; ++bit) {
        const int cycles = delay_cycles[bit] + OVER_CYCLES;
        const int whole = cycles / CODES_QUIET_CYCLES, rest = cycles % CODES_QUIET_CYCLES;
        put_test(writer, bit);
        put_jump(writer, writer->at + 1 + (size_t)(whole + (rest > 0)), writer->template->predicate,
                 false);
        put_nops(writer, whole, CODES_QUIET_CYCLES);
        put_nops(writer, rest > 0, (unsigned)rest);
    }
}

static void put_code(struct writer *writer, const struct codes_code *code, int which, size_t end)
{
    const struct codes_template *template = writer->template;
    int read = CODES_QUIET;
    put_quiet(writer, true);
    for (size_t i = 0; i < code->count; ++i) {
        uint64_t words[2];
        memcpy(words, code->bytes[i], sizeof words);
        if (read < code->reads && code->read_at[read] == CODES_QUIET + i)
            words[0] |= (uint64_t) template->registers[read++] << 16;
        put_words(writer, words);
    }
    put_quiet(writer, false);
    /* MOV R, which */
    put(writer,
        0x7802 | (uint64_t) template->registers[ACCP_CODES_RECORDS - 1] << 16 |
            (uint64_t)which << 32,
        0xf00, SAFE_STALL, 0);
    put_jump(writer, end, ACCP_PREDICATE_TRUE, true);
}

/* Writes all of it, with codes that begin at `heads`, and says where they do begin. */
static void put_all(struct writer *writer, const struct codes_set *set, size_t heads[])
{
    const struct calibration_template *base = &writer->template->base;
    writer->at = base->first;
    put(writer, 0x7918, 0, SAFE_STALL, WAIT_FOR_ALL);
    put_delays(writer);
    for (int k = 1; k < set->warps; ++k) {
        put_test(writer, ACCP_CODES_DELAYS + k);
        put_jump(writer, heads[k], writer->template->predicate, true);
    }
    put_jump(writer, heads[0], ACCP_PREDICATE_TRUE, true);
    for (int k = 0; k < set->warps; ++k) {
        while (writer->at % CALIBRATION_LINE != 0)
            put_nops(writer, 1, CODES_QUIET_CYCLES);
        heads[k] = writer->at;
        put_code(writer, &set->codes[k], k, base->first + base->count);
    }
}

enum accp_status codes_patch(struct codes_template *template, const struct codes_set *set,
                             struct accp_error *error)
{
    struct calibration_template *base = &template->base;
    const struct accp_kernel *kernel = base->code.kernel;
    const size_t offset = (size_t)(kernel->code - base->cubin.data);
    struct writer writer = {.template = template, .code = base->cubin.data + offset};
    size_t heads[ACCP_CODES_WARPS] = {0};
    memcpy(writer.code, base->compiled, kernel->code_bytes);
    for (int pass = 0; pass < 2; ++pass)
        put_all(&writer, set, heads);
    if (writer.at <= base->first + base->count) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, set->group, set->number,
                     "codes %d are too long by %zu instructions: the template has no room for them",
                     set->number, writer.at - base->first - base->count);
}

/* Which registers are stored where: record k, 4 * k bytes from the first. */
static bool find_records(struct codes_template *template)
{
    const struct accp_code *code = &template->base.code;
    int found = 0;
    memset(template->registers, -1, sizeof template->registers);
    for (size_t i = 0; i < code->count; ++i) {
        const struct accp_instruction *at = &code->instructions[i];
        if (at->opcode != ACCP_OPCODE_STG) continue;
        uint32_t offset = 0;
        int from = -1;
        for (int k = 0; k < at->operand_count; ++k) {
            const struct accp_operand *operand = &at->operands[k];
            if (operand->kind == ACCP_OPERAND_IMMEDIATE) offset = operand->value;
            if (operand->kind == ACCP_OPERAND_REGISTER && !operand->address)
                from = operand->count == 1 ? operand->index : -1;
        }
        if (offset % 4 != 0 || offset / 4 >= ACCP_CODES_RECORDS || from < 0) return false;
        found += template->registers[offset / 4] < 0;
        template->registers[offset / 4] = from;
    }
    return found == ACCP_CODES_RECORDS;
}

/* The register that every FFMA of the row multiplies by. */
static bool find_select(struct codes_template *template)
{
    const struct calibration_template *base = &template->base;
    const struct accp_instruction *last = &base->code.instructions[base->first + base->count - 1];
    template->select = -1;
    for (int k = 1; k < last->operand_count; ++k)
        if (last->operands[k].kind == ACCP_OPERAND_REGISTER &&
            last->operands[k].index != last->operands[0].index)
            template->select = last->operands[k].index;
    return template->select >= 0;
}

static bool find_predicate(struct codes_template *template)
{
    template->predicate = 0;
    while (template->predicate < ACCP_PREDICATE_TRUE &&
           calibration_template_needs(&template->base, ACCP_OPERAND_PREDICATE, template->predicate))
        ++template->predicate;
    return template->predicate < ACCP_PREDICATE_TRUE;
}

enum accp_status codes_template_init(const char *path, struct codes_template *template,
                                     struct accp_error *error)
{
    enum { LEAST_SLOTS = ACCP_CODES_SLOTS - ACCP_CODES_RECORDS };
    ACCP_TRY(calibration_template_init(path, "accp_codes", LEAST_SLOTS, 0, &template->base, error));
    if (find_records(template) && find_select(template) && find_predicate(template))
        return ACCP_STATUS_OK;
    codes_template_fini(template);
    return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                     "does not store %d registers, or has no register that selects codes: compile "
                     "kernels/calibration anew",
                     ACCP_CODES_RECORDS);
}

void codes_template_fini(struct codes_template *template)
{
    calibration_template_fini(&template->base);
}
