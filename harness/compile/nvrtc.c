#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum accp_status check(const struct accp_nvrtc *nvrtc, int result, const char *call,
                              struct accp_error *error)
{
    if (result == 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, call, -1, "%s", nvrtc->error_text(result));
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX asks for this one. */
static enum accp_status find(void *library, const char *path, const char *symbol, void *pointer,
                             struct accp_error *error)
{
    void *found = dlsym(library, symbol);
    if (!found)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, path, -1,
                         "it has no %s: give a libnvrtc.so of CUDA 11.8 or newer", symbol);
    memcpy(pointer, &found, sizeof found);
    return ACCP_STATUS_OK;
}

/* NVRTC looks for its second half by name alone, and 13.0's finds nothing, or another build's where
 * one is installed. The one beside it, already loaded under that name, is what it then takes. */
static void load_builtins(const struct accp_nvrtc *nvrtc)
{
    Dl_info found;
    void *symbol;
    memcpy(&symbol, &nvrtc->nvrtcVersion, sizeof symbol);
    if (!dladdr(symbol, &found)) return;
    const char *slash = strrchr(found.dli_fname, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*slibnvrtc-builtins.so.%d.%d",
             slash ? (int)(slash - found.dli_fname) + 1 : 0, found.dli_fname, nvrtc->major,
             nvrtc->minor);
    dlopen(path, RTLD_NOW | RTLD_LOCAL); /* where there is none, NVRTC says so itself */
}

/* Never unloaded: NVRTC keeps memory of its own that nobody could free any more once it is gone. */
static enum accp_status load(const char *path, struct accp_nvrtc *nvrtc, struct accp_error *error)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        return accp_fail(error, ACCP_STATUS_IO, path, -1, "cannot load it: %s",
                         text ? text : "no reason given");
    }
#define NVRTC(symbol, arguments) ACCP_TRY(find(library, path, #symbol, &nvrtc->symbol, error));
#include "compile/nvrtc.def"
    ACCP_TRY(find(library, path, "nvrtcGetErrorString", &nvrtc->error_text, error));
    ACCP_TRY(
        check(nvrtc, nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor), "nvrtcVersion", error));
    load_builtins(nvrtc);
    int count = 0;
    ACCP_TRY(
        check(nvrtc, nvrtc->nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs", error));
    if (count < 0 || count > ACCP_NVRTC_ARCHES)
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, path, -1, "it claims to know %d arches",
                         count);
    nvrtc->arch_count = (size_t)count;
    return check(nvrtc, nvrtc->nvrtcGetSupportedArchs(nvrtc->arches), "nvrtcGetSupportedArchs",
                 error);
}

enum accp_status accp_nvrtc_open(const char *path, struct accp_nvrtc *nvrtc,
                                 struct accp_error *error)
{
    memset(nvrtc, 0, sizeof *nvrtc);
    enum accp_status status = load(path, nvrtc, error);
    if (status != ACCP_STATUS_OK) memset(nvrtc, 0, sizeof *nvrtc);
    return status;
}

enum accp_status accp_nvrtc_arch(const struct accp_nvrtc *nvrtc, const char *name, int *arch,
                                 struct accp_error *error)
{
    char end;
    if (sscanf(name, "sm_%4d%c", arch, &end) != 1)
        return accp_fail(error, ACCP_STATUS_USAGE, name, -1, "not an arch: give one as sm_90");
    char known[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < nvrtc->arch_count; ++i) {
        if (nvrtc->arches[i] == *arch) return ACCP_STATUS_OK;
        if (length < sizeof known)
            length +=
                (size_t)snprintf(known + length, sizeof known - length, " sm_%d", nvrtc->arches[i]);
    }
    return accp_fail(error, ACCP_STATUS_UNSUPPORTED, name, -1,
                     "NVRTC of CUDA %d.%d does not know it; it knows%s", nvrtc->major, nvrtc->minor,
                     known);
}

static char *read_log(const struct accp_nvrtc *nvrtc, void *program)
{
    size_t bytes = 0;
    if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes <= 1) return NULL;
    char *log = calloc(bytes + 1, 1);
    if (log && nvrtc->nvrtcGetProgramLog(program, log) == 0 && log[0]) return log;
    free(log);
    return NULL;
}

/* The log's first line that speaks of an error, else its first; that line ends at a newline. */
static const char *worst_line(const char *log)
{
    const char *mark = strstr(log, "error");
    if (!mark) return log;
    while (mark > log && mark[-1] != '\n')
        --mark;
    return mark;
}

static enum accp_status build(const struct accp_nvrtc *nvrtc, void *program,
                              const struct accp_compilation *compilation, char **log,
                              struct accp_error *error)
{
    char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", compilation->ptx ? "compute" : "sm",
             compilation->arch);
    const char *options[ACCP_NVRTC_OPTIONS + 1] = {arch};
    for (size_t i = 0; i < compilation->option_count; ++i)
        options[i + 1] = compilation->options[i];
    int result = nvrtc->nvrtcCompileProgram(program, (int)compilation->option_count + 1, options);
    *log = read_log(nvrtc, program);
    if (result == 0) return ACCP_STATUS_OK;
    const char *line = *log ? worst_line(*log) : nvrtc->error_text(result);
    return accp_fail(error, ACCP_STATUS_INPUT, compilation->name, -1, "does not compile: %.*s",
                     (int)strcspn(line, "\n"), line);
}

static enum accp_status fetch(const struct accp_nvrtc *nvrtc, void *program, bool ptx,
                              struct accp_bytes *output, struct accp_error *error)
{
    size_t size = 0;
    ACCP_TRY(check(nvrtc,
                   ptx ? nvrtc->nvrtcGetPTXSize(program, &size)
                       : nvrtc->nvrtcGetCUBINSize(program, &size),
                   "output size", error));
    output->data = calloc(size + 1, 1);
    if (!output->data)
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no room for %zu bytes", size);
    output->size = ptx && size ? size - 1 : size;
    char *data = (char *)output->data;
    enum accp_status status =
        check(nvrtc, ptx ? nvrtc->nvrtcGetPTX(program, data) : nvrtc->nvrtcGetCUBIN(program, data),
              "output", error);
    if (status != ACCP_STATUS_OK) accp_bytes_fini(output);
    return status;
}

enum accp_status accp_nvrtc_compile(const struct accp_nvrtc *nvrtc,
                                    const struct accp_compilation *compilation,
                                    struct accp_bytes *output, char **log, struct accp_error *error)
{
    memset(output, 0, sizeof *output);
    *log = NULL;
    if (compilation->option_count > ACCP_NVRTC_OPTIONS)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1, "more than %d options for NVRTC",
                         ACCP_NVRTC_OPTIONS);
    void *program = NULL;
    ACCP_TRY(check(
        nvrtc,
        nvrtc->nvrtcCreateProgram(&program, compilation->source, compilation->name, 0, NULL, NULL),
        compilation->name, error));
    enum accp_status status = build(nvrtc, program, compilation, log, error);
    if (status == ACCP_STATUS_OK) status = fetch(nvrtc, program, compilation->ptx, output, error);
    nvrtc->nvrtcDestroyProgram(&program);
    return status;
}
