#include "cli/shape_print.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/text.h"
#include "cli/shaping.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* COLUMN(heading, align to the right, may be cut, format, value of `shape`) */
#define COLUMN_TABLE(COLUMN) \
    COLUMN("ffma", true, "%d", shape->ffma) \
    COLUMN("accs", true, "%d", shape->accumulators) \
    COLUMN("depth", true, "%d", shape->depth) \
    COLUMN("regs", true, "%d", shape->registers) \
    COLUMN("blocks", true, "%d", shape->resident_blocks) \
    COLUMN("warps", true, "%d", shape->resident_warps) \
    COLUMN("LDL", true, "%d", shape->local_loads) \
    COLUMN("STL", true, "%d", shape->local_stores) \
    COLUMN("LDC", true, "%d", shape->constant_loads) \
    COLUMN("loop", true, "0x%" PRIx64, (uint64_t)shape->loop.address) \
    COLUMN("instr", true, "%d", shape->loop.instructions) \
    COLUMN("bytes", true, "%" PRId64, shape->loop.bytes) \
    COLUMN("line", true, "%d", shape->loop.line_instructions_left) \
    COLUMN("stalls", true, "%d", shape->loop.stall_sum_cycles) \
    COLUMN("yield", true, "%d", shape->loop.yields) \
    COLUMN("reuse", true, "%d", shape->loop.reuses) \
    COLUMN("hash", false, "%.8s", shape->loop.control_hash)

static const struct accp_column columns[] = {
    {"kernel", false, false},
#define COLUMN(heading, right, format, value) {heading, right, false},
    COLUMN_TABLE(COLUMN)
#undef COLUMN
        {"verdict", false, false},
    {"why", false, true},
};

static const char legend[] =
    "FFMAs between the clock reads, chains and their depth; blocks and warps resident on an SM; "
    "LDC: constant loads in the loop;\nline: instructions left in the 128-byte line where the loop "
    "begins; stalls: the counts as written, added up; hash: of the loop with its control bits\n";

static enum accp_status add_row(struct accp_table *table, const struct accp_shape *shape,
                                const struct accp_shape_verdict *verdict, struct accp_error *error)
{
    size_t at = 0;
    ACCP_TRY(accp_table_row(table, error));
    accp_table_cell(table, at++, "%s", shape->role[0] ? shape->role : shape->kernel);
#define COLUMN(heading, right, format, value) accp_table_cell(table, at++, format, value);
    COLUMN_TABLE(COLUMN)
#undef COLUMN
    /* Nothing is asked of a stranger's kernel. */
    if (shape->role[0]) accp_table_cell(table, at, "%s", accp_verdict_name(verdict->verdict));
    accp_table_cell(table, at + 1, "%s", verdict->text);
    return ACCP_STATUS_OK;
}

static enum accp_status print_table(const struct accp_shaped *shaped, bool markdown,
                                    struct accp_error *error)
{
    struct accp_table *table;
    ACCP_TRY(accp_table_create(columns, sizeof columns / sizeof *columns, &table, error));
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < shaped->shapes.count && status == ACCP_STATUS_OK; ++i)
        status = add_row(table, &shaped->shapes.shapes[i], &shaped->verdicts[i], error);
    if (status == ACCP_STATUS_OK) status = accp_table_print(table, stdout, markdown, error);
    accp_table_destroy(table);
    return status;
}

static const char no_loop[] =
    "law chain: no hot loop: no loop has more floating-point instructions than all others";

/* Each golden that answered for a role: several where a front end has its own, or a release has builds. */
static void print_goldens(const struct accp_shaped *shaped)
{
    const char *before = "; golden shape: ";
    for (size_t i = 0; i < shaped->shapes.count; ++i) {
        const char *golden = shaped->verdicts[i].golden;
        size_t k = 0;
        while (k < i && strcmp(shaped->verdicts[k].golden, golden) != 0)
            ++k;
        if (!golden[0] || k < i) continue;
        printf("%s%s", before, golden);
        before = " and ";
    }
    if (before[0] == ';') printf("%snone, laws only", before);
}

/* The commands to copy, into the golden folder that was asked. A golden is keyed by a build, and a cubin of before 13.0
 * names a release: who made it knows the rest. */
static void print_accept(const struct accp_options *options, const struct accp_shapes *shapes,
                         bool markdown)
{
    const char *version = shapes->compiler_version;
    const bool is_release = version[0] && strchr(version, '.') == strrchr(version, '.');
    char source[4 * PATH_MAX + 8], golden[4 * PATH_MAX + 8] = "", text[10 * PATH_MAX];
    accp_text_word(options->cubin ? options->cubin : shapes->arch, source, sizeof source);
    if (options->golden) accp_text_word(options->golden, golden, sizeof golden);
    snprintf(text, sizeof text,
             "accept: accprobe shape --%s %s%s%s%s%s%s --out shape.json; accprobe record "
             "shape.json --reason TEXT%s%s",
             options->cubin ? "cubin" : "arch", source, options->probe ? " --probe " : "",
             options->probe ? options->probe : "", is_release ? " --compiler " : "",
             is_release ? version : "", is_release ? ".BUILD" : "", golden[0] ? " --golden " : "",
             golden);
    accp_text_put(stdout, text, markdown);
    putchar('\n');
}

/* The heaviest verdict and its count, which golden answered, and how to accept what is new. */
static void print_summary(const struct accp_options *options, const struct accp_shaped *shaped,
                          bool markdown)
{
    const struct accp_shapes *shapes = &shaped->shapes;
    size_t counts[ACCP_VERDICT_COUNT] = {0}, roles = 0;
    enum accp_verdict heaviest = ACCP_VERDICT_PASS;
    const struct accp_left_out *left_out = &shaped->left_out;
    for (size_t i = 0; i < shapes->count; ++i) {
        const struct accp_shape_verdict *verdict = &shaped->verdicts[i];
        if (!shapes->shapes[i].role[0]) continue;
        ++roles;
        ++counts[verdict->verdict];
        if (verdict->verdict > heaviest) heaviest = verdict->verdict;
    }
    const char *mark = markdown ? "**" : "";
    roles += left_out->role_count;
    counts[ACCP_VERDICT_FAIL] += left_out->role_count;
    if (left_out->role_count > 0) heaviest = ACCP_VERDICT_FAIL;
    if (roles > 0)
        printf("%sverdict: %s%s: %zu role%s of %s by %s %s:", mark, accp_verdict_name(heaviest),
               mark, roles, ACCP_PLURAL(roles, "s"), shapes->arch,
               shapes->compiler_name[0] ? shapes->compiler_name : "ptxas",
               shapes->compiler_version);
    else
        printf("no role of ours among %zu kernel%s of %s by %s %s: nothing to judge", shapes->count,
               ACCP_PLURAL(shapes->count, "s"), shapes->arch,
               shapes->compiler_name[0] ? shapes->compiler_name : "ptxas",
               shapes->compiler_version[0] ? shapes->compiler_version : "(version unknown)");
    for (int i = ACCP_VERDICT_COUNT - 1; i >= 0 && roles > 0; --i)
        if (counts[i] > 0) printf(" %zu %s", counts[i], accp_verdict_name((enum accp_verdict)i));
    if (roles > 0) print_goldens(shaped);
    if (left_out->kernel_count > left_out->role_count)
        printf("; %zu kernel%s without a hot loop left out",
               left_out->kernel_count - left_out->role_count,
               ACCP_PLURAL(left_out->kernel_count - left_out->role_count, "s"));
    putchar('\n');
    for (size_t i = 0; i < left_out->role_count; ++i)
        printf("%s FAIL %s\n", left_out->roles[i]->name, no_loop);
    if (counts[ACCP_VERDICT_NO_GOLDEN] > 0 || counts[ACCP_VERDICT_DRIFT] > 0)
        print_accept(options, shapes, markdown);
}

static void add_left_out(json_t *verdicts, const struct accp_left_out *left_out)
{
    for (size_t i = 0; i < left_out->role_count; ++i)
        json_object_set_new(verdicts, left_out->roles[i]->name,
                            json_pack("{s:s, s:s}", "verdict", accp_verdict_name(ACCP_VERDICT_FAIL),
                                      "text", no_loop));
}

static json_t *verdicts_json(const struct accp_shaped *shaped)
{
    json_t *verdicts = json_object();
    for (size_t i = 0; i < shaped->shapes.count; ++i) {
        const struct accp_shape_verdict *verdict = &shaped->verdicts[i];
        if (!shaped->shapes.shapes[i].role[0]) continue;
        json_t *object = json_object();
        json_object_set_new(object, "verdict", json_string(accp_verdict_name(verdict->verdict)));
        if (verdict->golden[0]) {
            json_object_set_new(object, "golden", json_string(verdict->golden));
            json_object_set_new(object, "class", json_string(accp_diff_name(verdict->class)));
        }
        if (verdict->text[0]) json_object_set_new(object, "text", json_string(verdict->text));
        json_object_set_new(verdicts, shaped->shapes.shapes[i].role, object);
    }
    add_left_out(verdicts, &shaped->left_out);
    return verdicts;
}

/* The shape file, with the verdicts as one member more. */
static enum accp_status print_json(const struct accp_options *options,
                                   const struct accp_shaped *shaped, struct accp_error *error)
{
    struct accp_shapes shapes = shaped->shapes;
    char *text;
    size_t bytes;
    if (!options->listing) memset(&shapes.listings, 0, sizeof shapes.listings);
    ACCP_TRY(accp_shapes_format(&shapes, &text, &bytes, error));
    json_t *verdicts = verdicts_json(shaped);
    fwrite(text, 1, bytes - strlen("}\n"), stdout);
    fputs(",\n \"verdicts\": ", stdout);
    bool failed = !verdicts || json_dumpf(verdicts, stdout, 0) != 0;
    fputs("}\n", stdout);
    json_decref(verdicts);
    free(text);
    return accp_json_written(stdout, failed, "shapes", error);
}

static enum accp_status list_kernels(const struct accp_opened *opened,
                                     const struct accp_options *options,
                                     const struct accp_shapes *shapes, struct accp_error *error)
{
    enum accp_status status = ACCP_STATUS_OK;
    for (size_t i = 0; i < shapes->count && status == ACCP_STATUS_OK; ++i) {
        struct accp_code code;
        const struct accp_loop *loop;
        const struct accp_shape *shape = &shapes->shapes[i];
        const struct accp_role *role =
            accp_shape_is_shared(shape) ? accp_role_find(shape->role) : NULL;
        const struct accp_kernel *kernel = accp_cubin_find(&opened->cubin, shape->kernel);
        if (!kernel) continue;
        ACCP_TRY(accp_code_init(&opened->cubin, kernel, &code, error));
        printf("%s (%s): address, stall, yield, write and read barrier, wait mask\n%s",
               accp_shape_key(shape), shapes->arch,
               options->shape == ACCP_FORMAT_MARKDOWN ? "```\n" : "");
        status = accp_chain_find_loop(&code, role, options->loop, &loop, error);
        if (status == ACCP_STATUS_OK) status = accp_code_list(&code, loop, stdout, error);
        if (options->shape == ACCP_FORMAT_MARKDOWN) puts("```");
        accp_code_fini(&code);
    }
    return status;
}

static enum accp_status print_listings(const struct accp_options *options,
                                       const struct accp_shapes *shapes, struct accp_error *error)
{
    struct accp_opened opened;
    enum accp_status status = ACCP_STATUS_OK;
    if (options->cubin) {
        ACCP_TRY(accp_opened_file(options->cubin, &opened, error));
        status = list_kernels(&opened, options, shapes, error);
        accp_opened_close(&opened);
        return status;
    }
    for (int probe = 0; probe < ACCP_PROBE_COUNT && status == ACCP_STATUS_OK; ++probe) {
        ACCP_TRY(accp_opened_built(shapes->arch, accp_probe_names[probe], &opened, error));
        status = list_kernels(&opened, options, shapes, error);
        accp_opened_close(&opened);
    }
    return status;
}

enum accp_status accp_shape_print(const struct accp_options *options,
                                  const struct accp_shaped *shaped, size_t count,
                                  struct accp_error *error)
{
    bool markdown = options->shape == ACCP_FORMAT_MARKDOWN;
    if (options->shape == ACCP_FORMAT_JSON) return print_json(options, &shaped[0], error);
    for (size_t i = 0; i < count; ++i) {
        if (options->listing) ACCP_TRY(print_listings(options, &shaped[i].shapes, error));
        if (!options->out || options->format) ACCP_TRY(print_table(&shaped[i], markdown, error));
        if (markdown) putchar('\n');
        print_summary(options, &shaped[i], markdown);
    }
    if (!options->out || options->format) fputs(legend, stdout);
    return ACCP_STATUS_OK;
}
