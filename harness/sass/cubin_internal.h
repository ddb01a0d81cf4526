/* What cubin.c (the ELF file) hands to cubin_kernels.c (what NVIDIA puts into it). Not for other
 * modules. */
#ifndef ACCP_SASS_CUBIN_INTERNAL_H
#define ACCP_SASS_CUBIN_INTERNAL_H

#include "sass/cubin.h"

#include <libelf.h>

/* One section. `data` lies inside the file for all of `bytes`; NULL where the file holds none
 * (NOBITS). */
struct accp_section {
    const char *name; /* owned by the libelf handle */
    const uint8_t *data;
    uint64_t offset, bytes, flags;
    uint32_t type, link, info;
};

struct accp_elf {
    const char *file; /* for messages */
    const uint8_t *data;
    size_t data_bytes;
    Elf *handle;
    size_t section_count, names_index;
    struct accp_section *sections; /* sections[0] is the empty one */
};

/* Fills cubin->kernels. INPUT: a symbol or a code section out of range; MEMORY. */
enum accp_status accp_cubin_read_kernels(const struct accp_elf *elf, struct accp_cubin *cubin,
                                         struct accp_error *error);

/* Fills the compiler_ members; leaves "" what the cubin does not say. */
void accp_cubin_read_compiler(const struct accp_elf *elf, struct accp_cubin *cubin);

#endif
