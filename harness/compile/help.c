#include "compile/help.h"

#include <stddef.h>

const struct accp_compile_option accp_compile_options[] = {
    {"nvrtc", 'n', "LIBNVRTC", "libnvrtc.so of the CUDA version that is to compile, 11.8 or newer"},
    {"arch", 'a', "ARCH", "compile for it, such as sm_90; --list-arches says which there are"},
    {"out", 'o', "FILE", "write to it; where nothing was compiled it stays as it was"},
    {"", 'I', "DIR", "search it too for what the source includes; may be given again"},
    {"ptx", 'p', "", "write PTX instead of a cubin"},
    {"list-arches", 'l', "", "print the arches that this NVRTC compiles for, a line each"},
    {"help", 'h', "", "this text"},
    {NULL, 0, NULL, NULL},
};

const struct accp_compile_status accp_compile_statuses[] = {
    {"0", "compiled, or listed"},
    {"4", "usage, bad input, no NVRTC: one line says what is wrong"},
    {NULL, NULL},
};

const char *const accp_compile_usages[] = {
    "--nvrtc LIBNVRTC --arch ARCH [--ptx] [-I DIR]... --out FILE SOURCE.cu [-- OPTION...]",
    "--nvrtc LIBNVRTC --list-arches",
    NULL,
};

const char accp_compile_summary[] = "one CUDA source through the NVRTC of any CUDA version";

const char accp_compile_description[] =
    "Compiles SOURCE.cu to a cubin and says which CUDA version did it. The folder of SOURCE.cu is "
    "searched for what it includes. What follows -- goes to NVRTC as it is.";
