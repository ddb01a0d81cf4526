/* The command line: the first byte chooses a verb's options, each further line is a word. What was
 * read is used as a verb does: the probe and the patterns select roles, the arch is looked up. */
#include "cli/options.h"
#include "cli/select.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 32, BYTES = 4096 };

static const unsigned takes_of[] = {
#define VERB(id, low, high, operands, summary, takes) takes,
#include "cli/verbs.def"
};

static void check(enum accp_status status, const struct accp_error *error)
{
    if (status != ACCP_STATUS_OK && !error->text[0]) abort();
}

static void use(const struct accp_options *options)
{
    struct accp_selection selection;
    struct accp_pattern claim;
    struct accp_error error = {0};
    if (options->warps > 32 || options->device > 1023) abort();
    enum accp_status status = accp_select(options, &selection, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK && selection.count == 0) abort();
    status = accp_pattern_init(&claim, "claim", options->claim, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK) accp_pattern_matches(&claim, "optimal.chain29.acc2.level@8");
    accp_pattern_fini(&claim);
    if (options->arch) accp_arch_find(options->arch);
    if (options->protocol) accp_protocol_known(options->protocol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[BYTES], *words[WORDS] = {"verb"};
    int count = 1;
    if (size < 2 || size > sizeof text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    for (char *at = text; at && count < WORDS; ++count) {
        words[count] = at;
        at = strchr(at, '\n');
        if (at) *at++ = 0;
    }
    struct accp_options options;
    struct accp_error error = {0};
    unsigned takes = takes_of[data[0] % (sizeof takes_of / sizeof *takes_of)];
    enum accp_status status =
        accp_options_parse(count, words, takes, 0, data[0] & 1 ? WORDS : 2, &options, &error);
    check(status, &error);
    if (status == ACCP_STATUS_OK) use(&options);
    return 0;
}
