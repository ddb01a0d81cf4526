#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; /* as Linux has it */

static enum accp_status read_open(int descriptor, const char *path, size_t limit_bytes,
                                  struct accp_bytes *bytes, struct accp_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot read: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "not a regular file");
    if (status.st_size == 0) return accp_fail(error, ACCP_STATUS_INPUT, path, -1, "is empty");
    if ((uintmax_t)status.st_size > limit_bytes)
        return accp_fail(error, ACCP_STATUS_INPUT, path, -1,
                         "has %jd bytes, more than the %zu that such a file may have",
                         (intmax_t)status.st_size, limit_bytes);
    size_t size = (size_t)status.st_size;
    uint8_t *data = malloc(size + 1);
    if (!data)
        return accp_fail(error, ACCP_STATUS_MEMORY, path, -1, "no memory for %zu bytes", size);
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(descriptor, data + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            free(data);
            return accp_fail(error, ACCP_STATUS_IO, path, (int64_t)done, "cannot read: %s",
                             got < 0 ? strerror(errno) : "it shrank while it was read");
        }
        done += (size_t)got;
    }
    data[size] = 0;
    *bytes = (struct accp_bytes){data, size};
    return ACCP_STATUS_OK;
}

enum accp_status accp_file_read(const char *path, size_t limit_bytes, struct accp_bytes *bytes,
                                struct accp_error *error)
{
    *bytes = (struct accp_bytes){0};
    /* O_NONBLOCK: a FIFO with no writer must not hang the reader. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot open: %s", strerror(errno));
    enum accp_status status = read_open(descriptor, path, limit_bytes, bytes, error);
    close(descriptor);
    return status;
}

void accp_bytes_fini(struct accp_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct accp_bytes){0};
}

static int write_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(descriptor, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return -1;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

/* A rename is durable only once the folder that holds the name is. Best effort: the data itself is
 * synced. */
static void sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)fsync(descriptor);
    close(descriptor);
}

/* A device or a pipe takes the data; a file in its place would be the end of it. */
static enum accp_status write_through(const char *path, const void *data, size_t size,
                                      struct accp_error *error)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    int failed = descriptor < 0 || write_all(descriptor, data, size) != 0;
    int reason = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot write: %s", strerror(reason));
}

/* Where a link leads, so that it goes on pointing there; `path` itself if it is none. realpath answers
 * only for what is there already: a link to what is not yet is followed by hand. */
static enum accp_status follow(const char *path, char target[PATH_MAX], struct accp_error *error)
{
    char link[PATH_MAX], next[PATH_MAX];
    if (realpath(path, target)) return ACCP_STATUS_OK;
    int length = snprintf(target, PATH_MAX, "%s", path);
    for (int links = 0; length >= 0 && length < PATH_MAX; ++links) {
        const ssize_t put = readlink(target, link, sizeof link);
        if (put < 0 || (size_t)put >= sizeof link) return ACCP_STATUS_OK;
        if (links >= LINKS_MOST)
            return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot write: %s", strerror(ELOOP));
        const char *slash = strrchr(target, '/');
        const int folder = link[0] != '/' && slash ? (int)(slash - target) + 1 : 0;
        length = snprintf(next, sizeof next, "%.*s%.*s", folder, target, (int)put, link);
        if (length >= 0 && (size_t)length < sizeof next) memcpy(target, next, (size_t)length + 1);
    }
    return accp_fail(error, ACCP_STATUS_IO, path, -1, "the path is too long");
}

/* What a program that just opened the file for writing would leave. */
static mode_t mode_of(const char *target)
{
    struct stat found;
    if (stat(target, &found) == 0) return found.st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

enum accp_status accp_file_write_atomic(const char *path, const void *data, size_t size,
                                        struct accp_error *error)
{
    char temporary[PATH_MAX], target[PATH_MAX];
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
        return write_through(path, data, size, error);
    ACCP_TRY(follow(path, target, error));
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", target);
    if (length < 0 || (size_t)length >= sizeof temporary)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "the path is too long");
    int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot write beside it: %s",
                         strerror(errno));
    int failed = write_all(descriptor, data, size) != 0 ||
                 fchmod(descriptor, mode_of(target)) != 0 || fsync(descriptor) != 0;
    int reason = errno;
    if (close(descriptor) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed && rename(temporary, target) != 0) {
        failed = 1;
        reason = errno;
    }
    if (failed) {
        unlink(temporary);
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot write, it is as it was: %s",
                         strerror(reason));
    }
    sync_folder_of(target);
    return ACCP_STATUS_OK;
}

bool accp_file_is_missing(const char *path)
{
    char part[PATH_MAX];
    struct stat found;
    int length = snprintf(part, sizeof part, "%s", path);
    if (length < 0 || (size_t)length >= sizeof part || lstat(part, &found) == 0) return false;
    for (char *slash; errno == ENOENT; *slash = 0) {
        slash = strrchr(part, '/');
        if (!slash || slash == part) return true;
        *slash = 0;
        if (lstat(part, &found) == 0) return stat(part, &found) == 0;
    }
    return false;
}

void accp_file_pattern(const char *path, char *pattern, size_t pattern_bytes)
{
    size_t used = 0;
    for (; *path && used + 2 < pattern_bytes; ++path) {
        if (strchr("*?[\\", *path)) pattern[used++] = '\\';
        pattern[used++] = *path;
    }
    pattern[used] = 0;
}

void accp_folder_unmake(const char *path, int made)
{
    char part[PATH_MAX];
    int length = snprintf(part, sizeof part, "%s", path);
    if (length < 0 || (size_t)length >= sizeof part) return;
    for (char *end = part + length;; *end = 0) {
        while (end > part + 1 && end[-1] == '/')
            *--end = 0;
        if (made-- <= 0 || rmdir(part) != 0) return;
        while (end > part && *end != '/')
            --end;
    }
}

enum accp_status accp_folder_make(const char *path, int *made, struct accp_error *error)
{
    char part[PATH_MAX];
    int length = snprintf(part, sizeof part, "%s", path), missing = 0;
    if (made) *made = 0;
    if (length < 0 || (size_t)length >= sizeof part)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "the path is too long");
    for (char *at = part + 1;; ++at) {
        if (*at != '/' && *at != 0) continue;
        char kept = *at;
        *at = 0;
        const bool is_made = mkdir(part, 0777) == 0;
        if (!is_made && errno != EEXIST) {
            const int reason = errno;
            char *parent = strrchr(part, '/');
            accp_fail(error, ACCP_STATUS_IO, part, -1, "cannot make the folder: %s",
                      strerror(reason));
            if (parent) *parent = 0;
            accp_folder_unmake(part, missing);
            return ACCP_STATUS_IO;
        }
        missing += is_made;
        *at = kept;
        if (kept == 0) break;
    }
    if (made) *made = missing;
    return ACCP_STATUS_OK;
}

enum accp_status accp_folder_lock(const char *path, double timeout_s, int *lock,
                                  struct accp_error *error)
{
    static const struct timespec nap = {0, 20000000};
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot open: %s", strerror(errno));
    for (double waited_s = 0; flock(*lock, LOCK_EX | LOCK_NB) != 0; waited_s += 0.02) {
        const bool is_taken = errno == EWOULDBLOCK;
        if (is_taken && waited_s < timeout_s) {
            nanosleep(&nap, NULL);
            continue;
        }
        accp_folder_unlock(*lock);
        *lock = -1;
        if (!is_taken) return ACCP_STATUS_OK;
        return accp_fail(error, ACCP_STATUS_REFUSED, path, -1,
                         "another process has been writing there for %.3g s: run again when it has "
                         "ended",
                         timeout_s);
    }
    return ACCP_STATUS_OK;
}

void accp_folder_unlock(int lock)
{
    if (lock >= 0) close(lock);
}
