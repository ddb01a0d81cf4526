/* accprobe-compile: one source through the NVRTC of any CUDA version. */
#include "base/text.h"
#include "compile/help.h"
#include "compile/nvrtc.h"

#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD = 4, SOURCE_LIMIT_BYTES = 16 << 20, OPTIONS_MAX = 16 };

struct request {
    const char *nvrtc, *arch, *out;
    char *source;
    bool ptx, list_arches, help;
    const char *options[ACCP_NVRTC_OPTIONS];
    size_t option_count;
};

static enum accp_status add_option(struct request *request, const char *option,
                                   struct accp_error *error)
{
    if (request->option_count == ACCP_NVRTC_OPTIONS)
        return accp_fail(error, ACCP_STATUS_USAGE, option, -1, "more than %d options",
                         ACCP_NVRTC_OPTIONS);
    request->options[request->option_count++] = option;
    return ACCP_STATUS_OK;
}

static enum accp_status take_option(struct request *request, int option, const char *spelling,
                                    struct accp_error *error)
{
    switch (option) {
    case 'n':
        request->nvrtc = optarg;
        return ACCP_STATUS_OK;
    case 'a':
        request->arch = optarg;
        return ACCP_STATUS_OK;
    case 'o':
        request->out = optarg;
        return ACCP_STATUS_OK;
    case 'p':
        request->ptx = true;
        return ACCP_STATUS_OK;
    case 'l':
        request->list_arches = true;
        return ACCP_STATUS_OK;
    case 'h':
        request->help = true;
        return ACCP_STATUS_OK;
    case 'I':
        ACCP_TRY(add_option(request, "-I", error));
        return add_option(request, optarg, error);
    case ':':
        return accp_fail(error, ACCP_STATUS_USAGE, spelling, -1, "it needs a value");
    default:
        return accp_fail(error, ACCP_STATUS_USAGE, spelling, -1,
                         "unknown option; --help lists them");
    }
}

static enum accp_status parse(int argc, char **argv, struct request *request,
                              struct accp_error *error)
{
    struct option options[OPTIONS_MAX] = {{0}};
    for (size_t i = 0, count = 0; accp_compile_options[i].name; ++i)
        if (accp_compile_options[i].name[0])
            options[count++] = (struct option){
                accp_compile_options[i].name,
                accp_compile_options[i].argument[0] ? required_argument : no_argument, NULL,
                accp_compile_options[i].letter};
    int option;
    while ((option = getopt_long(argc, argv, "+:I:", options, NULL)) != -1)
        ACCP_TRY(take_option(request, option, argv[optind - 1], error));
    if (request->help) return ACCP_STATUS_OK;
    if (!request->nvrtc)
        return accp_fail(error, ACCP_STATUS_USAGE, "--nvrtc", -1, "give it; --help says how");
    if (request->list_arches && optind == argc) return ACCP_STATUS_OK;
    if (!request->arch || !request->out || optind == argc)
        return accp_fail(error, ACCP_STATUS_USAGE, NULL, -1,
                         "give --arch, --out and a source; --help says how");
    request->source = argv[optind++];
    if (optind < argc && strcmp(argv[optind], "--") != 0)
        return accp_fail(error, ACCP_STATUS_USAGE, argv[optind], -1,
                         "one source at a time; options of NVRTC follow --");
    for (++optind; optind < argc; ++optind)
        ACCP_TRY(add_option(request, argv[optind], error));
    return ACCP_STATUS_OK;
}

static void print_help(void)
{
    printf("accprobe-compile: %s\n\n", accp_compile_summary);
    for (size_t i = 0; accp_compile_usages[i]; ++i)
        printf("%s accprobe-compile %s\n", i ? "      " : "usage:", accp_compile_usages[i]);
    printf("\n%s\n\n", accp_compile_description);
    for (const struct accp_compile_option *option = accp_compile_options; option->name; ++option) {
        char word[64];
        if (option->name[0])
            snprintf(word, sizeof word, "--%s %s", option->name, option->argument);
        else
            snprintf(word, sizeof word, "-%c %s", option->letter, option->argument);
        printf("  %-18s %s\n", word, option->text);
    }
    fputs("\nexit status:\n", stdout);
    for (size_t i = 0; accp_compile_statuses[i].status; ++i)
        printf("  %-3s %s\n", accp_compile_statuses[i].status, accp_compile_statuses[i].text);
}

static void list_arches(const struct accp_nvrtc *nvrtc)
{
    for (size_t i = 0; i < nvrtc->arch_count; ++i)
        printf("sm_%d\n", nvrtc->arches[i]);
}

/* A log quotes its source, and what that is called: only its line breaks and tabs are the compiler's own. */
static void print_log(char *log)
{
    for (char *part = log; part;) {
        const size_t length = strcspn(part, "\n\t");
        const char end = part[length];
        part[length] = 0;
        accp_text_show(part);
        fputs(part, stderr);
        if (end) fputc(end, stderr);
        part = end ? part + length + 1 : NULL;
    }
}

/* NVRTC has no folder of its own to look in: it gets the source's text alone. */
static enum accp_status compile_source(const struct accp_nvrtc *nvrtc, struct request *request,
                                       const struct accp_bytes *source, struct accp_error *error)
{
    char path[4096], folder[4096 + 2];
    snprintf(path, sizeof path, "%s", request->source);
    snprintf(folder, sizeof folder, "-I%s", dirname(path));
    ACCP_TRY(add_option(request, folder, error));
    struct accp_compilation compilation = {.source = (const char *)source->data,
                                           .name = basename(request->source),
                                           .ptx = request->ptx,
                                           .options = request->options,
                                           .option_count = request->option_count};
    ACCP_TRY(accp_nvrtc_arch(nvrtc, request->arch, &compilation.arch, error));
    struct accp_bytes output;
    char *log;
    enum accp_status status = accp_nvrtc_compile(nvrtc, &compilation, &output, &log, error);
    print_log(log);
    free(log);
    ACCP_TRY(status);
    status = accp_file_write_atomic(request->out, output.data, output.size, error);
    snprintf(path, sizeof path, "%s", request->out);
    accp_text_show(path);
    if (status == ACCP_STATUS_OK)
        printf("NVRTC of CUDA %d.%d: %s for %s, %zu bytes\n", nvrtc->major, nvrtc->minor, path,
               request->arch, output.size);
    accp_bytes_fini(&output);
    return status;
}

static enum accp_status run(struct request *request, struct accp_error *error)
{
    struct accp_nvrtc nvrtc;
    ACCP_TRY(accp_nvrtc_open(request->nvrtc, &nvrtc, error));
    if (request->list_arches) {
        list_arches(&nvrtc);
        return ACCP_STATUS_OK;
    }
    struct accp_bytes source;
    ACCP_TRY(accp_file_read(request->source, SOURCE_LIMIT_BYTES, &source, error));
    enum accp_status status = compile_source(&nvrtc, request, &source, error);
    accp_bytes_fini(&source);
    return status;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    struct accp_error error;
    enum accp_status status = parse(argc, argv, &request, &error);
    if (status == ACCP_STATUS_OK && request.help)
        print_help();
    else if (status == ACCP_STATUS_OK)
        status = run(&request, &error);
    if (status == ACCP_STATUS_OK) return fflush(stdout) == 0 ? 0 : EXIT_BAD;
    char line[ACCP_ERROR_TEXT_BYTES + ACCP_ERROR_WHERE_BYTES];
    accp_error_line(&error, line, sizeof line);
    fprintf(stderr, "accprobe-compile: %s\n", line);
    return EXIT_BAD;
}
