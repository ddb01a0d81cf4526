/* Runs a fuzz target once over each of the files named, and those in the folders named: how the
 * corpus is a test under any compiler. Fails when there was nothing to run. */
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT_BYTES = 16 << 20 };

static int replay_file(const char *path)
{
    struct accp_bytes bytes;
    struct accp_error error;
    char line[ACCP_ERROR_TEXT_BYTES];
    if (accp_file_read(path, LIMIT_BYTES, &bytes, &error) != ACCP_STATUS_OK) {
        accp_error_line(&error, line, sizeof line);
        fprintf(stderr, "%s\n", line);
        return -1;
    }
    LLVMFuzzerTestOneInput(bytes.data, bytes.size);
    accp_bytes_fini(&bytes);
    return 1;
}

static int replay_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    int count = 0;
    if (!directory) return -1;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[4096];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        int done = replay_file(path);
        if (done < 0) count = -1;
        if (count >= 0) count += done;
    }
    closedir(directory);
    return count;
}

int main(int count, char **arguments)
{
    int total = 0;
    for (int i = 1; i < count; ++i) {
        struct stat status;
        int done = -1;
        if (stat(arguments[i], &status) == 0)
            done =
                S_ISDIR(status.st_mode) ? replay_folder(arguments[i]) : replay_file(arguments[i]);
        if (done <= 0) {
            fprintf(stderr, "%s: nothing to replay\n", arguments[i]);
            return 1;
        }
        total += done;
    }
    printf("%d inputs replayed\n", total);
    return total > 0 ? 0 : 1;
}
