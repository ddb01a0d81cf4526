/* Holds the decoder against nvdisasm on every instruction of the cubins named on the command line
 * (or of tests/data/sass): base name, modifiers, guard, registers, predicates, constants and branch
 * targets. Exit: 0 all agree, 1 not, 77 without nvdisasm (ACCPROBE_NVDISASM or PATH). Not a CMocka
 * program: it is also run by hand over whole libraries, and then prints what it covered. */
#include "base/file.h"
#include "sass/cubin.h"
#include "sass/decode.h"

#include <ctype.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LISTED = 40, TOKENS = 32 };

struct tally {
    size_t instructions, unknown, wrong;
};

/* Operands that matter, as sorted or ordered lists of words such as "R12", "UP3", "c[0x0][0x28]".
 */
struct words {
    size_t count;
    char word[TOKENS][24];
};

static void add_word(struct words *words, const char *text, size_t length)
{
    if (words->count == TOKENS || length >= sizeof words->word[0]) return;
    memcpy(words->word[words->count], text, length);
    words->word[words->count++][length] = 0;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Registers and predicates with a number, barriers, and constants without an index, in nvdisasm's
 * text. */
static struct words words_of_text(const char *text)
{
    struct words words = {0};
    for (const char *at = text; *at;) {
        if (strncmp(at, "c[0x", 4) == 0) {
            size_t length = strcspn(at, "]") + 1;
            add_word(&words, at, length);
            at += length;
            continue;
        }
        if (!isalnum((unsigned char)*at) && *at != '_') {
            ++at;
            continue;
        }
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            ++length;
        size_t letters = strspn(at, "URPB");
        bool is_part = at > text && at[-1] == '.'; /* R24.B1 */
        if (!is_part && letters > 0 && letters <= 2 && letters < length &&
            strspn(at + letters, "0123456789") == length - letters)
            add_word(&words, at, length);
        at += length;
    }
    return words;
}

static const char *prefix_of(enum accp_operand_kind kind)
{
    switch (kind) {
    case ACCP_OPERAND_REGISTER:
        return "R";
    case ACCP_OPERAND_UNIFORM:
        return "UR";
    case ACCP_OPERAND_PREDICATE:
        return "P";
    case ACCP_OPERAND_UNIFORM_PREDICATE:
        return "UP";
    case ACCP_OPERAND_CONVERGENCE:
        return "B";
    default:
        return NULL;
    }
}

/* Before sm_90 nvdisasm keeps silent about the descriptor. */
static struct words words_of_instruction(int sm, const struct accp_instruction *instruction)
{
    struct words words = {0};
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        const char *prefix = prefix_of(operand->kind);
        bool is_register =
            operand->kind == ACCP_OPERAND_REGISTER || operand->kind == ACCP_OPERAND_UNIFORM;
        bool is_predicate = operand->kind == ACCP_OPERAND_PREDICATE ||
                            operand->kind == ACCP_OPERAND_UNIFORM_PREDICATE;
        char text[24] = "";
        if (operand->kind == ACCP_OPERAND_CONSTANT)
            snprintf(text, sizeof text, "c[0x%x]", operand->bank);
        else if (prefix && !(is_register && operand->index == ACCP_REGISTER_ZERO) &&
                 !(is_predicate && operand->index == ACCP_PREDICATE_TRUE))
            snprintf(text, sizeof text, "%s%d", prefix, operand->index);
        if (text[0] && !(operand->descriptor && sm < 90)) add_word(&words, text, strlen(text));
    }
    return words;
}

static bool same_words(struct words *left, struct words *right, bool ordered)
{
    if (left->count != right->count) return false;
    if (!ordered) {
        qsort(left->word, left->count, sizeof left->word[0], by_text);
        qsort(right->word, right->count, sizeof right->word[0], by_text);
    }
    for (size_t i = 0; i < left->count; ++i)
        if (strcmp(left->word[i], right->word[i]) != 0) return false;
    return true;
}

/* Every part of our mnemonic stands in nvdisasm's, in order, and the first parts are equal. */
static bool mnemonic_agrees(const struct accp_instruction *instruction, const char *theirs)
{
    char ours[64];
    accp_instruction_mnemonic(instruction, ours, sizeof ours);
    const char *at = theirs;
    bool is_first = true;
    for (char *rest, *part = strtok_r(ours, ".", &rest); part; part = strtok_r(NULL, ".", &rest)) {
        for (;;) {
            size_t length = strcspn(at, ".");
            bool same = strlen(part) == length && strncmp(at, part, length) == 0;
            at += length + (at[length] == '.');
            if (same) break;
            if (is_first || !*at) return false;
        }
        is_first = false;
    }
    return true;
}

static bool guard_agrees(const struct accp_instruction *instruction, const char *theirs)
{
    char ours[8] = "";
    if (instruction->guard != ACCP_PREDICATE_TRUE)
        snprintf(ours, sizeof ours, "@%s%s%d", instruction->guard_negated ? "!" : "",
                 instruction->guard_uniform ? "UP" : "P", instruction->guard);
    else if (instruction->guard_negated)
        snprintf(ours, sizeof ours, "@!%s", instruction->guard_uniform ? "UPT" : "PT");
    return strcmp(ours, theirs[0] == '@' ? theirs : "") == 0; /* of P2R it prints PR here */
}

static bool target_agrees(const struct accp_instruction *instruction, uint64_t address,
                          const char *operands)
{
    if (!instruction->has_target || instruction->opcode == ACCP_OPCODE_BRX ||
        instruction->opcode == ACCP_OPCODE_BRXU)
        return true;
    char ours[32];
    const uint64_t target = address + (uint64_t)instruction->target_bytes;
    snprintf(ours, sizeof ours, "0x%llx", (unsigned long long)target);
    const char *at = strrchr(operands, ',');
    at = at ? at + 1 : operands;
    return strstr(at, "0x") == NULL || strcmp(strstr(at, "0x"), ours) == 0;
}

static bool constant_agrees(const struct accp_instruction *instruction, const char *operands)
{
    const char *at = strstr(operands, "c[0x");
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (operand->kind != ACCP_OPERAND_CONSTANT) continue;
        char direct[40], indexed[40];
        snprintf(direct, sizeof direct, "c[0x%x][0x%x]", operand->bank, operand->value);
        snprintf(indexed, sizeof indexed, "+0x%x]", operand->value);
        return at && (strstr(operands, direct) || strstr(at, indexed) ||
                      (operand->value == 0 && !strstr(at, "][0x") && !strstr(at, "+0x")) ||
                      strstr(at, "+-0x"));
    }
    return at == NULL;
}

/* [R2.64+0x8], [R2.64+-0x8], [UR4+0x8], [0x8] */
static bool displacement_agrees(const struct accp_instruction *instruction, const char *operands)
{
    bool has_any = false, has_field = false;
    for (int i = 0; i < instruction->operand_count; ++i) {
        const struct accp_operand *operand = &instruction->operands[i];
        if (operand->kind != ACCP_OPERAND_IMMEDIATE || !operand->address) continue;
        char added[24], alone[24];
        bool is_negative = operand->value >> 31;
        snprintf(added, sizeof added, is_negative ? "+-0x%x]" : "+0x%x]",
                 is_negative ? (unsigned)-operand->value : operand->value);
        snprintf(alone, sizeof alone, "[%s", added + 1);
        has_field = true;
        has_any |= operand->value != 0;
        if (operand->value != 0 && !strstr(operands, added) && !strstr(operands, alone))
            return false;
    }
    return !has_field || has_any || (!strstr(operands, "+0x") && !strstr(operands, "+-0x"));
}

static const char *disagreement(int sm, const struct accp_instruction *instruction,
                                uint64_t address, const char *guard, const char *opcode,
                                const char *operands)
{
    struct words ours = words_of_instruction(sm, instruction), theirs = words_of_text(operands);
    bool ordered = true;
    for (int i = 0; i < instruction->operand_count; ++i)
        if (instruction->operands[i].address) ordered = false;
    if (!mnemonic_agrees(instruction, opcode)) return "mnemonic";
    if (!guard_agrees(instruction, guard)) return "guard";
    if (!constant_agrees(instruction, operands)) return "constant";
    if (!displacement_agrees(instruction, operands)) return "displacement";
    if (!target_agrees(instruction, address, operands)) return "target";
    if (!same_words(&ours, &theirs, ordered)) return "operands";
    return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void compare_instruction(int sm, const uint8_t *code, uint64_t address, const json_t *theirs,
                                const char *file, struct tally *tally)
{
    struct accp_instruction instruction;
    struct accp_error error;
    ++tally->instructions;
    if (accp_sass_decode(sm, code, &instruction, &error) != ACCP_STATUS_OK) {
        ++tally->wrong;
        return;
    }
    if (instruction.opcode == ACCP_OPCODE_UNKNOWN) {
        if (getenv("ACCPROBE_SHOW_UNKNOWN"))
            printf("unknown %04x %s %s\n", instruction.code, text_of(theirs, "opcode"),
                   text_of(theirs, "operands"));
        ++tally->unknown;
        return;
    }
    const char *what = disagreement(sm, &instruction, address, text_of(theirs, "predicate"),
                                    text_of(theirs, "opcode"), text_of(theirs, "operands"));
    if (!what) return;
    char text[ACCP_INSTRUCTION_TEXT_BYTES];
    accp_instruction_text(&instruction, address, text, sizeof text);
    if (++tally->wrong <= LISTED)
        printf(
            "%s: 0x%llx: %s: 0x%04x %016llx%016llx decoded as \"%s\", nvdisasm says \"%s %s %s\"\n",
            file, (unsigned long long)address, what, instruction.code,
            (unsigned long long)instruction.high, (unsigned long long)instruction.low, text,
            text_of(theirs, "predicate"), text_of(theirs, "opcode"), text_of(theirs, "operands"));
}

static bool compare_functions(const struct accp_cubin *cubin, const json_t *functions,
                              const char *file, struct tally *tally)
{
    size_t i, seen = 0;
    json_t *function;
    json_array_foreach(functions, i, function)
    {
        const struct accp_kernel *kernel =
            accp_cubin_find(cubin, text_of(function, "function-name"));
        json_t *instructions = json_object_get(function, "sass-instructions");
        if (!kernel) {
            printf("%s: %s: not found by the cubin reader\n", file,
                   text_of(function, "function-name"));
            return false;
        }
        uint64_t start = (uint64_t)json_integer_value(json_object_get(function, "start"));
        size_t count = json_array_size(instructions);
        if (count != kernel->code_bytes / 16) {
            printf("%s: %s: %zu instructions read, nvdisasm lists %zu\n", file, kernel->name,
                   kernel->code_bytes / 16, count);
            return false;
        }
        for (size_t k = 0; k < count; ++k)
            compare_instruction(cubin->sm, kernel->code + 16 * k, start + 16 * k,
                                json_array_get(instructions, k), file, tally);
        ++seen;
    }
    return seen > 0;
}

static json_t *run_nvdisasm(const char *nvdisasm, const char *file)
{
    char command[4096];
    json_error_t problem;
    snprintf(command, sizeof command, "'%s' -json '%s'", nvdisasm, file);
    FILE *pipe = popen(command, "r");
    if (!pipe) return NULL;
    json_t *root = json_loadf(pipe, JSON_DISABLE_EOF_CHECK, &problem);
    while (fgetc(pipe) != EOF)
        ;
    int status = pclose(pipe);
    if (!root) printf("%s: nvdisasm: %s\n", file, problem.text);
    (void)status; /* it may complain about notes that it does not know, and list all the same */
    return root;
}

static bool compare_file(const char *nvdisasm, const char *file, struct tally *tally)
{
    struct accp_bytes bytes;
    struct accp_cubin cubin;
    struct accp_error error;
    char line[ACCP_ERROR_TEXT_BYTES * 2];
    if (accp_file_read(file, ACCP_CUBIN_LIMIT_BYTES, &bytes, &error) != ACCP_STATUS_OK ||
        accp_cubin_open(file, bytes.data, bytes.size, &cubin, &error) != ACCP_STATUS_OK) {
        accp_error_line(&error, line, sizeof line);
        printf("%s\n", line);
        return false;
    }
    json_t *root = run_nvdisasm(nvdisasm, file);
    bool good = root && compare_functions(&cubin, json_array_get(root, 1), file, tally);
    json_decref(root);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
    return good;
}

static const char *find_nvdisasm(void)
{
    const char *named = getenv("ACCPROBE_NVDISASM");
    if (named && *named) return named;
    return system("command -v nvdisasm >/dev/null 2>&1") == 0 ? "nvdisasm" : NULL;
}

int main(int count, char **arguments)
{
    const char *nvdisasm = find_nvdisasm();
    if (!nvdisasm) {
        printf("skipped: no nvdisasm in PATH, and ACCPROBE_NVDISASM is not set\n");
        return 77;
    }
    glob_t found = {0};
    if (count < 2 && glob(ACCP_SOURCE_DIR "/tests/data/sass/*.cubin", 0, NULL, &found) != 0) {
        printf("no cubins in " ACCP_SOURCE_DIR "/tests/data/sass\n");
        return 1;
    }
    struct tally tally = {0};
    bool good = true;
    for (int i = 1; i < count; ++i)
        good &= compare_file(nvdisasm, arguments[i], &tally);
    for (size_t i = 0; i < found.gl_pathc; ++i)
        good &= compare_file(nvdisasm, found.gl_pathv[i], &tally);
    globfree(&found);
    printf("%zu instructions: %zu wrong, %zu unknown (%.3f %% covered)\n", tally.instructions,
           tally.wrong, tally.unknown,
           100.0 -
               100.0 * (double)tally.unknown / (double)(tally.instructions + !tally.instructions));
    return good && tally.wrong == 0 && tally.instructions > 0 ? 0 : 1;
}
