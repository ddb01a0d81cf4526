#include "device/driver.h"

#include "base/watchdog.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct absence_row {
    const char *code;
    enum accp_status status;
    const char *what, *remedy;
};

static const struct absence_row absences[] = {
#define ABSENCE(id, status, what, remedy) \
    [ACCP_ABSENCE_##id] = {#id, ACCP_STATUS_##status, what, remedy},
#include "device/absence.def"
};

static const char control_node[] = "/dev/nvidiactl";

const char *accp_absence_code(enum accp_absence absence)
{
    return absences[absence].code;
}

const char *accp_absence_what(enum accp_absence absence)
{
    return absences[absence].what;
}

const char *accp_absence_remedy(enum accp_absence absence)
{
    return absences[absence].remedy;
}

enum accp_absence accp_absence_of(const struct accp_error *error)
{
    for (int i = 0; i < ACCP_ABSENCE_COUNT; ++i)
        if (error->code == absences[i].status && strcmp(error->where, absences[i].code) == 0)
            return (enum accp_absence)i;
    return ACCP_ABSENCE_COUNT;
}

void accp_text_copy(char *text, size_t text_bytes, const char *source)
{
    size_t length = strnlen(source, text_bytes - 1);
    while (length > 0 && source[length - 1] == ' ')
        --length;
    for (size_t i = 0; i < length; ++i)
        text[i] = (unsigned char)source[i] < 0x20 || source[i] == 0x7f ? '?' : source[i];
    text[length] = 0;
}

enum accp_status accp_absence_fail(struct accp_error *error, enum accp_absence absence,
                                   const char *detail)
{
    const struct absence_row *row = &absences[absence];
    if (detail && detail[0])
        return accp_fail(error, row->status, row->code, -1, "%s; %s (%s)", row->what, row->remedy,
                         detail);
    return accp_fail(error, row->status, row->code, -1, "%s; %s", row->what, row->remedy);
}

enum accp_absence accp_absence_refine(enum accp_absence absence, const char *node)
{
    if (access(node, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM))
        return ACCP_ABSENCE_NO_PERMISSION;
    return absence;
}

/* A library that is not there and one that does not load are different troubles, and dlopen tells
 * them apart in its text alone: the first names the library itself and ENOENT's text. */
static enum accp_status open_library(const char *variable, const char *name,
                                     enum accp_absence absent, enum accp_absence unloadable,
                                     void **library, struct accp_error *error)
{
    const char *path = getenv(variable);
    if (!path || !path[0]) path = name;
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library) return ACCP_STATUS_OK;
    const char *text = dlerror();
    if (!text) text = path;
    bool missing = strncmp(text, path, strlen(path)) == 0 && strstr(text, strerror(ENOENT));
    return accp_absence_fail(error, missing ? absent : unloadable, text);
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX asks for this one. */
#define FIND(library, table, symbol) \
    do { \
        void *found = dlsym(library, #symbol); \
        memcpy(&(table)->symbol, &found, sizeof found); \
    } while (0)

enum accp_status accp_driver_open(struct accp_driver *driver, struct accp_error *error)
{
    void *library;
    ACCP_TRY(open_library("ACCPROBE_LIBCUDA", "libcuda.so.1", ACCP_ABSENCE_NO_DRIVER,
                          ACCP_ABSENCE_DRIVER_UNLOADABLE, &library, error));
#define DRIVER(symbol, arguments) \
    FIND(library, driver, symbol); \
    if (!driver->symbol) return accp_absence_fail(error, ACCP_ABSENCE_DRIVER_INCOMPLETE, #symbol);
#include "device/driver.def"
    return accp_driver_check(driver->cuInit(0), "cuInit", ACCP_DRIVER_OPENING, NULL, error);
}

enum accp_status accp_nvml_open(struct accp_nvml *nvml, struct accp_error *error)
{
    void *library;
    ACCP_TRY(open_library("ACCPROBE_LIBNVML", "libnvidia-ml.so.1", ACCP_ABSENCE_NVML_ABSENT,
                          ACCP_ABSENCE_NVML_FAILURE, &library, error));
#define NVML(symbol, arguments) FIND(library, nvml, symbol);
#include "device/nvml.def"
    if (!nvml->nvmlInit_v2 || !nvml->nvmlShutdown)
        return accp_absence_fail(error, ACCP_ABSENCE_NVML_FAILURE, "it has no nvmlInit_v2");
    return accp_nvml_check(nvml->nvmlInit_v2(), "nvmlInit_v2", error);
}

enum { ACCP_ABSENCE_NONE = ACCP_ABSENCE_COUNT, STICKY_NO = 0, STICKY_YES = 1 };

struct driver_result {
    int code;
    const char *name;
    bool sticky;
    enum accp_absence opening, working;
};

static const struct driver_result driver_results[] = {
#define RESULT(code, name, sticky, opening, working) \
    {code, #name, STICKY_##sticky, (enum accp_absence)ACCP_ABSENCE_##opening, \
     (enum accp_absence)ACCP_ABSENCE_##working},
#include "device/driver_result.def"
};

/* A code that the table does not know is taken for sticky: better to stop than to time with it. */
static const struct driver_result unknown_result = {0, "unknown to this version", true,
                                                    (enum accp_absence)ACCP_ABSENCE_NONE,
                                                    (enum accp_absence)ACCP_ABSENCE_NONE};

static const struct driver_result *find_result(int code)
{
    for (size_t i = 0; i < sizeof driver_results / sizeof *driver_results; ++i)
        if (driver_results[i].code == code) return &driver_results[i];
    return &unknown_result;
}

enum accp_status accp_driver_check(int result, const char *call, enum accp_driver_stage stage,
                                   bool *sticky, struct accp_error *error)
{
    accp_watchdog_feed(call);
    if (result == ACCP_CU_SUCCESS) return ACCP_STATUS_OK;
    const struct driver_result *row = find_result(result);
    if (row->sticky && sticky) *sticky = true;
    char detail[160];
    snprintf(detail, sizeof detail, "%s: %d %s", call, result, row->name);
    enum accp_absence absence = stage == ACCP_DRIVER_OPENING ? row->opening : row->working;
    if (absence == ACCP_ABSENCE_NO_DEVICE || absence == ACCP_ABSENCE_DRIVER_FAILURE)
        absence = accp_absence_refine(absence, control_node);
    if (absence != ACCP_ABSENCE_COUNT) return accp_absence_fail(error, absence, detail);
    return accp_fail(error, ACCP_STATUS_DEVICE, "GPU", -1, "%s failed: %d %s%s", call, result,
                     row->name, row->sticky ? "; the GPU's context is lost, run again" : "");
}

struct nvml_result {
    int code;
    const char *name;
    enum accp_absence absence;
};

static const struct nvml_result nvml_results[] = {
#define RESULT(code, name, absence) {code, #name, ACCP_ABSENCE_##absence},
#include "device/nvml_result.def"
};

enum accp_status accp_nvml_check(int result, const char *call, struct accp_error *error)
{
    if (result == ACCP_NVML_SUCCESS) return ACCP_STATUS_OK;
    struct nvml_result row = {0, "unknown to this version", ACCP_ABSENCE_NVML_FAILURE};
    for (size_t i = 0; i < sizeof nvml_results / sizeof *nvml_results; ++i)
        if (nvml_results[i].code == result) row = nvml_results[i];
    char detail[160];
    snprintf(detail, sizeof detail, "%s: %d %s", call, result, row.name);
    return accp_absence_fail(error, row.absence, detail);
}
