/* Status codes and errors. Every fallible function of the harness returns `enum accp_status` and
 * takes an optional `struct accp_error *` as its last parameter, which it fills whenever it fails.
 */
#ifndef ACCP_BASE_STATUS_H
#define ACCP_BASE_STATUS_H

#include <stdint.h>

/* STATUS(id, text): the id of the code and the fixed words that stand for it in a message. */
#define ACCP_STATUS_TABLE(STATUS) \
    STATUS(OK, "ok") \
    STATUS(USAGE, "usage") \
    STATUS(INPUT, "bad input") \
    STATUS(IO, "input or output failed") \
    STATUS(MEMORY, "out of memory") \
    STATUS(UNSUPPORTED, "not supported") \
    STATUS(REFUSED, "refused") \
    STATUS(SKIP, "skipped") \
    STATUS(DEVICE, "device failure") \
    STATUS(WRONG, "wrong result")

enum accp_status {
#define STATUS(id, text) ACCP_STATUS_##id,
    ACCP_STATUS_TABLE(STATUS)
#undef STATUS
        ACCP_STATUS_COUNT
};

enum { ACCP_ERROR_TEXT_BYTES = 512, ACCP_ERROR_WHERE_BYTES = 256 };

/* What failed. `where` names the file, option or object at fault ("" when there is none); `offset`
 * is the byte, line or index inside it that the text speaks of, or -1; `text` says what is wrong
 * and what to do, on one line, with control characters replaced. Plain data: nothing to free. */
struct accp_error {
    enum accp_status code;
    int64_t offset;
    char where[ACCP_ERROR_WHERE_BYTES];
    char text[ACCP_ERROR_TEXT_BYTES];
};

/* Fills *error (if not NULL) and returns `code`, so that a caller can write `return
 * accp_fail(...)`. `where` may be NULL; `offset` < 0 means none. Text that does not fit is cut at
 * the end. */
enum accp_status accp_fail(struct accp_error *error, enum accp_status code, const char *where,
                           int64_t offset, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The fixed words of a code; "unknown" outside the range. Static storage. */
const char *accp_status_text(enum accp_status code);

/* Writes "where: text" (or "text") as one line without its newline into `line`, always terminated.
 */
void accp_error_line(const struct accp_error *error, char *line, unsigned long line_bytes);

/* Passes a failure on to the caller. */
#define ACCP_TRY(expression) \
    do { \
        enum accp_status accp_try_status = (expression); \
        if (accp_try_status != ACCP_STATUS_OK) return accp_try_status; \
    } while (0)

#endif
