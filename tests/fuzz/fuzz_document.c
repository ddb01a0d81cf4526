/* The reader of a document's statements, and the run that the same file holds judged by them. */
#include "verdict/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct accp_document document;
    struct accp_run run;
    struct accp_judgement judgement = {0};
    struct accp_error error = {0};
    if (accp_document_parse("f", data, size, &document, &error) != ACCP_STATUS_OK) {
        if (!error.text[0] || strchr(error.text, '\n') || document.statements) abort();
        return 0;
    }
    if (accp_run_parse("f", data, size, &run, NULL) == ACCP_STATUS_OK) {
        if (accp_verdict_document(&document, &run, 1, true, "f", &judgement, &error) !=
                ACCP_STATUS_OK &&
            !error.text[0])
            abort();
        accp_judgement_fini(&judgement);
        accp_run_fini(&run);
    }
    accp_document_fini(&document);
    return 0;
}
