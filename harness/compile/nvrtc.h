/* CUDA C to a cubin or to PTX through a libnvrtc.so of any version since 11.8, opened at run time:
 * one program drives every compiler. */
#ifndef ACCP_COMPILE_NVRTC_H
#define ACCP_COMPILE_NVRTC_H

#include "base/file.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { ACCP_NVRTC_ARCHES = 128 };

/* An open library. `major` and `minor` are CUDA's (12, 4); the build number stands in the cubins.
 */
struct accp_nvrtc {
    int major, minor;
    int arches[ACCP_NVRTC_ARCHES]; /* what it compiles for, ascending: 90 is sm_90 */
    size_t arch_count;
    const char *(*error_text)(int result);
#define NVRTC(symbol, arguments) int(*symbol) arguments;
#include "compile/nvrtc.def"
};

/* One translation unit. All pointers are the caller's. */
struct accp_compilation {
    const char *source; /* CUDA C, NUL-terminated */
    const char *name;   /* of the source, for messages */
    int arch;           /* one of the library's: 90 is sm_90 */
    bool ptx;           /* PTX for compute_<arch> instead of a cubin for sm_<arch> */
    const char *const *options;
    size_t option_count; /* at most ACCP_NVRTC_OPTIONS */
};

enum { ACCP_NVRTC_OPTIONS = 64 };

/* Opens the library at `path` (or, without a slash, where the dynamic linker looks) and asks for
 * its version and arches. It stays loaded until the process ends; there is nothing to free. Errors:
 * IO (it does not load), UNSUPPORTED (it is not NVRTC, or older than 11.2 and cannot give cubins).
 */
enum accp_status accp_nvrtc_open(const char *path, struct accp_nvrtc *nvrtc,
                                 struct accp_error *error);

/* Reads an arch as the tables name it ("sm_90") and looks it up in the library. Errors: USAGE (not
 * of that form), UNSUPPORTED (the library does not know it; the text lists what it knows). */
enum accp_status accp_nvrtc_arch(const struct accp_nvrtc *nvrtc, const char *name, int *arch,
                                 struct accp_error *error);

/* Compiles. *output is the cubin, or the PTX without its NUL in `size`; free it with
 * accp_bytes_fini. *log is the compiler's log, or NULL where it said nothing; free it with free()
 * whether this succeeds or not. Errors: INPUT (it does not compile; the text is the log's first
 * error), USAGE (too many options), MEMORY. */
enum accp_status accp_nvrtc_compile(const struct accp_nvrtc *nvrtc,
                                    const struct accp_compilation *compilation,
                                    struct accp_bytes *output, char **log,
                                    struct accp_error *error);

#endif
