/* Whatever the bytes, the readers of run, golden and document files take or refuse them: no crash,
 * and what is taken is written and read again as the same. */
#include "golden/golden.h"
#include "run/run.h"
#include "verdict/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const struct accp_error *error)
{
    if (!error->text[0] || strchr(error->text, '\n')) abort();
}

static void try_golden(const uint8_t *data, size_t size)
{
    struct accp_golden golden, again;
    struct accp_error error = {0};
    char *text, *text_again;
    size_t bytes, bytes_again;
    if (accp_golden_parse("f", data, size, &golden, &error) != ACCP_STATUS_OK) {
        check_refusal(&error);
        return;
    }
    if (accp_golden_format(&golden, &text, &bytes, NULL) != ACCP_STATUS_OK) abort();
    if (accp_golden_parse("f", text, bytes, &again, NULL) != ACCP_STATUS_OK) abort();
    if (accp_golden_format(&again, &text_again, &bytes_again, NULL) != ACCP_STATUS_OK) abort();
    if (strcmp(text, text_again) != 0) abort();
    free(text);
    free(text_again);
    accp_golden_fini(&golden);
    accp_golden_fini(&again);
}

static void try_run(const uint8_t *data, size_t size)
{
    struct accp_run run;
    struct accp_error error = {0};
    char *text;
    size_t bytes;
    if (accp_run_parse("f", data, size, &run, &error) != ACCP_STATUS_OK) {
        check_refusal(&error);
        return;
    }
    if (accp_run_format(&run, &text, &bytes, NULL) != ACCP_STATUS_OK) abort();
    free(text);
    accp_run_fini(&run);
}

static void try_document(const uint8_t *data, size_t size)
{
    struct accp_document document;
    struct accp_error error = {0};
    if (accp_document_parse("f", data, size, &document, &error) != ACCP_STATUS_OK)
        check_refusal(&error);
    accp_document_fini(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_golden(data, size);
    try_run(data, size);
    try_document(data, size);
    return 0;
}
