#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct accp_option_row accp_option_rows[] = {
#define OPTION(id, name, kind, low, high, argument, help) \
    [ACCP_OPTION_##id] = {name, ACCP_OPTION_KIND_##kind, low, high, argument, help},
#include "cli/options.def"
};

static int find(const char *name, size_t length)
{
    for (int i = 0; i < ACCP_OPTION_COUNT; ++i)
        if (strlen(accp_option_rows[i].name) == length &&
            strncmp(accp_option_rows[i].name, name, length) == 0)
            return i;
    return -1;
}

static enum accp_status read_number(int option, const char *text, long *number,
                                    struct accp_error *error)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    bool plain = *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
    if (!plain || value < accp_option_rows[option].low || value > accp_option_rows[option].high)
        return accp_fail(
            error, ACCP_STATUS_USAGE, NULL, -1,
            "--%s %.40s: must be a whole number from %ld to %ld%s", accp_option_rows[option].name,
            text, accp_option_rows[option].low, accp_option_rows[option].high,
            accp_option_rows[option].kind == ACCP_OPTION_KIND_DEVICE ? ", or all" : "");
    *number = value;
    return ACCP_STATUS_OK;
}

static void store(struct accp_options *options, int option, const char *text, long number)
{
    (void)text;
#define STORE_TEXT(id)   options->id = text
#define STORE_NUMBER(id) options->id = number
#define STORE_DEVICE(id) options->id = number
#define STORE_FLAG(id)   options->id = true
    switch ((enum accp_option)option) {
#define OPTION(id, name, kind, low, high, argument, help) \
    case ACCP_OPTION_##id: \
        STORE_##kind(id); \
        break;
#include "cli/options.def"
    case ACCP_OPTION_COUNT:
        break;
    }
}

static void clear(struct accp_options *options)
{
    memset(options, 0, sizeof *options);
#define CLEAR_TEXT(id)
#define CLEAR_NUMBER(id) options->id = -1;
#define CLEAR_DEVICE(id) options->id = -1;
#define CLEAR_FLAG(id)
#define OPTION(id, name, kind, low, high, argument, help) CLEAR_##kind(id)
#include "cli/options.def"
}

static enum accp_status read_format(const char *verb, struct accp_options *options,
                                    struct accp_error *error)
{
    static const char *const names[] = {[ACCP_FORMAT_TABLE] = "table",
                                        [ACCP_FORMAT_JSON] = "json",
                                        [ACCP_FORMAT_MARKDOWN] = "markdown"};
    if (!options->format) return ACCP_STATUS_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(options->format, names[i]) != 0) continue;
        options->shape = (enum accp_format)i;
        return ACCP_STATUS_OK;
    }
    return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                     "--format %.40s: must be table, json or markdown, and of those what accprobe "
                     "%s --help lists",
                     options->format, verb);
}

/* One option at argv[*at]; moves *at to the last word that it took. `seen` holds those with a value so far. */
static enum accp_status read_option(int argc, char **argv, int *at, unsigned takes, unsigned *seen,
                                    struct accp_options *options, struct accp_error *error)
{
    const char *word = argv[*at];
    const char *name = strcmp(word, "-o") == 0 ? accp_option_rows[ACCP_OPTION_out].name : word + 2;
    const char *equals = strchr(name, '=');
    int option = find(name, equals ? (size_t)(equals - name) : strlen(name));
    if (option < 0 || !(takes & 1u << option))
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "%.60s: not an option of %s; accprobe %s --help lists them", word, argv[0],
                         argv[0]);
    if (accp_option_rows[option].kind == ACCP_OPTION_KIND_FLAG) {
        if (equals)
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "--%s takes no value",
                             accp_option_rows[option].name);
        store(options, option, NULL, 0);
        return ACCP_STATUS_OK;
    }
    const char *value = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (!value || !*value)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "--%s needs a value: --%s %s",
                         accp_option_rows[option].name, accp_option_rows[option].name,
                         accp_option_rows[option].argument);
    if (*seen & 1u << option)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "--%s is given twice, the second time as %.40s: give it once",
                         accp_option_rows[option].name, value);
    *seen |= 1u << option;
    long number = 0;
    const enum accp_option_kind kind = accp_option_rows[option].kind;
    if (kind == ACCP_OPTION_KIND_DEVICE && strcmp(value, "all") == 0)
        number = ACCP_DEVICE_ALL;
    else if (kind == ACCP_OPTION_KIND_NUMBER || kind == ACCP_OPTION_KIND_DEVICE)
        ACCP_TRY(read_number(option, value, &number, error));
    store(options, option, value, number);
    return ACCP_STATUS_OK;
}

enum accp_status accp_options_parse(int argc, char **argv, unsigned takes, int operands_low,
                                    int operands_high, struct accp_options *options,
                                    struct accp_error *error)
{
    clear(options);
    options->operands = argv + 1;
    takes |= ACCP_TAKES(help);
    unsigned seen = 0;
    bool only_operands = false;
    for (int i = 1; i < argc; ++i) {
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (!only_operands &&
                   (strncmp(argv[i], "--", 2) == 0 || strcmp(argv[i], "-o") == 0)) {
            ACCP_TRY(read_option(argc, argv, &i, takes, &seen, options, error));
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                             "%.60s: options have two dashes; accprobe %s --help lists them",
                             argv[i], argv[0]);
        } else if (!argv[i][0]) {
            return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                             "operand %d is empty: a variable that is not set?",
                             options->operand_count + 1);
        } else {
            options->operands[options->operand_count++] = argv[i];
        }
    }
    if (options->help) return ACCP_STATUS_OK;
    if (options->operand_count < operands_low)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "%s needs %s; accprobe %s --help says which", argv[0],
                         operands_low == 1 ? "an operand" : "more operands", argv[0]);
    if (options->operand_count > operands_high)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "%s does not know what to do with \"%.60s\"; accprobe %s --help", argv[0],
                         options->operands[operands_high], argv[0]);
    return read_format(argv[0], options, error);
}
