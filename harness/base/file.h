/* Whole files: read with a limit, written so that a reader sees the old content or the new, never a
 * part. */
#ifndef ACCP_BASE_FILE_H
#define ACCP_BASE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct accp_bytes {
    uint8_t *data; /* owned; a NUL that `size` does not count follows the content */
    size_t size;
};

/* Reads a regular file of at most `limit_bytes` into *bytes, which the caller frees with
 * accp_bytes_fini. Errors: IO (cannot open or read, says errno's text), INPUT (not a regular file,
 * empty, over the limit), MEMORY. */
enum accp_status accp_file_read(const char *path, size_t limit_bytes, struct accp_bytes *bytes,
                                struct accp_error *error);

/* Whether nothing has this name. A link to what is not there, as the file or as a folder on the way, is no file that was
 * never made: reading it says what is wrong. So it is where a folder may not be searched, and where errno is ENOTDIR. */
bool accp_file_is_missing(const char *path);

/* Writes `path` as a pattern of glob() that stands for it alone, whatever characters its folders have; cut where it does
 * not fit. */
void accp_file_pattern(const char *path, char *pattern, size_t pattern_bytes);

/* Frees what accp_file_read gave and clears the struct; safe on a cleared one. */
void accp_bytes_fini(struct accp_bytes *bytes);

/* Replaces `path` by `size` bytes of `data`: writes a temporary file beside it, syncs it, renames
 * it, and syncs the folder. On any failure (IO) the temporary file is gone and `path` is what it
 * was. A link keeps pointing to what it points to, and that is replaced, or made where it is not
 * there yet; a device, pipe or socket is not replaced but written to. The file keeps the mode that it
 * had; a new one gets what the umask leaves of 0666. */
enum accp_status accp_file_write_atomic(const char *path, const void *data, size_t size,
                                        struct accp_error *error);

/* Makes the folder and its missing parents; *made, where it is not NULL, is how many were missing. Errors: IO, and none
 * of them was made. */
enum accp_status accp_folder_make(const char *path, int *made, struct accp_error *error);

/* Takes back what accp_folder_make made, where nothing could be written there: the innermost `made` folders of the path,
 * as far as they are empty. */
void accp_folder_unmake(const char *path, int made);

/* Keeps other processes that lock the same folder out until accp_folder_unlock or the end of this
 * process, however it ends; waits up to `timeout_s` seconds for one that has it. Where the file system
 * has no locks it locks nothing, and *lock is -1. Errors: IO (no such folder), REFUSED (another
 * process has it still). */
enum accp_status accp_folder_lock(const char *path, double timeout_s, int *lock,
                                  struct accp_error *error);
void accp_folder_unlock(int lock);

#endif
