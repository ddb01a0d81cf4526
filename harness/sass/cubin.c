#include "sass/cubin.h"

#include "sass/cubin_internal.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_CUDA = 190, SM_MINIMUM = 75, ABI_CUDA_13 = 8, SECTION_LIMIT = 1 << 20 };

static const uint8_t fatbin_magic[] = {0x50, 0xed, 0x55, 0xba};

static enum accp_status not_a_cubin(const char *file, const uint8_t *data, size_t data_bytes,
                                    struct accp_error *error)
{
    if (data_bytes >= 4 && memcmp(data, fatbin_magic, 4) == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, 0,
                         "is a fatbin, which holds cubins of several arches: extract one with "
                         "`cuobjdump -xelf all FILE`");
    if (data_bytes >= 4 && memcmp(data,
                                  "\x7f"
                                  "ELF",
                                  4) == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "is an ELF file cut off inside its header: build or copy it again");
    if (data_bytes >= 8 && memcmp(data, "!<arch>\n", 8) == 0)
        return accp_fail(
            error, ACCP_STATUS_INPUT, file, 0,
            "is a library of object files: extract its cubins with `cuobjdump -xelf all FILE`");
    return accp_fail(
        error, ACCP_STATUS_INPUT, file, 0,
        "is not an ELF file, so no cubin: make one with `nvcc -cubin -arch=sm_90 FILE.cu`");
}

/* The section table lies in the file, and so does what each section claims to hold. libelf is asked
 * for nothing before this has passed. */
static enum accp_status check_ranges(const char *file, const uint8_t *data, size_t data_bytes,
                                     const Elf64_Ehdr *header, struct accp_error *error)
{
    uint64_t count = header->e_shnum, at = header->e_shoff;
    if (at == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "has no section table: stripped, or not written to its end");
    if (header->e_shentsize != sizeof(Elf64_Shdr) || at > data_bytes ||
        data_bytes - at < sizeof(Elf64_Shdr))
        return accp_fail(error, ACCP_STATUS_INPUT, file, (int64_t)at,
                         "is truncated: its section table would start at byte %llu of %zu",
                         (unsigned long long)at, data_bytes);
    if (header->e_phoff > data_bytes ||
        header->e_phnum > (data_bytes - header->e_phoff) / sizeof(Elf64_Phdr))
        return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                         "is truncated: its program table would end beyond byte %zu", data_bytes);
    Elf64_Shdr first;
    memcpy(&first, data + at, sizeof first);
    if (count == 0) count = first.sh_size; /* the ELF rule for 65280 sections or more */
    if (count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, file, (int64_t)at,
                         "has no section: its header counts none, and nor does the first entry of "
                         "its section table");
    if (count > SECTION_LIMIT || count > (data_bytes - at) / sizeof(Elf64_Shdr))
        return accp_fail(
            error, ACCP_STATUS_INPUT, file, (int64_t)at,
            "is truncated: its section table of %llu entries would end beyond byte %zu",
            (unsigned long long)count, data_bytes);
    for (uint64_t i = 1; i < count; ++i) {
        Elf64_Shdr section;
        memcpy(&section, data + at + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) continue;
        if (section.sh_offset > data_bytes || section.sh_size > data_bytes - section.sh_offset)
            return accp_fail(
                error, ACCP_STATUS_INPUT, file, (int64_t)i,
                "is truncated: section %llu would hold %llu bytes from byte %llu on, and the "
                "file ends at %zu",
                (unsigned long long)i, (unsigned long long)section.sh_size,
                (unsigned long long)section.sh_offset, data_bytes);
    }
    return ACCP_STATUS_OK;
}

static enum accp_status check_header(const char *file, const uint8_t *data, size_t data_bytes,
                                     Elf64_Ehdr *header, struct accp_error *error)
{
    if (data_bytes < sizeof *header || memcmp(data, ELFMAG, SELFMAG) != 0)
        return not_a_cubin(file, data, data_bytes, error);
    memcpy(header, data, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_ident[EI_VERSION] != EV_CURRENT)
        return accp_fail(error, ACCP_STATUS_INPUT, file, EI_CLASS,
                         "is an ELF file, but not a 64-bit little-endian one, as cubins are");
    return ACCP_STATUS_OK;
}

/* CUDA 12 and older put the arch into the low byte of e_flags, CUDA 13 into the second one. */
static enum accp_status read_arch(const char *file, const Elf64_Ehdr *header,
                                  struct accp_cubin *cubin, struct accp_error *error)
{
    cubin->abi = header->e_ident[EI_ABIVERSION];
    unsigned shift = cubin->abi >= ABI_CUDA_13 ? 8 : 0;
    cubin->sm = (int)(header->e_flags >> shift & 0xff);
    snprintf(cubin->arch_name, sizeof cubin->arch_name, "sm_%d", cubin->sm);
    cubin->arch = accp_arch_find(cubin->arch_name);
    if (cubin->arch) return ACCP_STATUS_OK;
    return accp_fail(
        error, ACCP_STATUS_UNSUPPORTED, file, -1,
        "is a cubin for sm_%d, which is not among the arches known here (sm_75 to sm_121)",
        cubin->sm);
}

static enum accp_status wrong_machine(const char *file, const struct accp_elf *elf,
                                      unsigned machine, struct accp_error *error)
{
    for (size_t i = 1; i < elf->section_count; ++i)
        if (strcmp(elf->sections[i].name, ".nv_fatbin") == 0 ||
            strcmp(elf->sections[i].name, "__nv_relfatbin") == 0)
            return accp_fail(error, ACCP_STATUS_INPUT, file, -1,
                             "is a host object with a fatbin inside: extract its cubins with "
                             "`cuobjdump -xelf all FILE`");
    return accp_fail(error, ACCP_STATUS_INPUT, file, 18,
                     "is an ELF file for machine %u, and a cubin's is 190 (NVIDIA CUDA)", machine);
}

static int by_offset(const void *left, const void *right)
{
    const struct accp_section *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Code that shares bytes with another section is the mark of a forged or damaged file. Data
 * sections may: ptxas 13 lets the constants of its two instruction sets overlap. */
static enum accp_status check_sorted(const char *file, const struct accp_section *sorted,
                                     size_t count, struct accp_error *error)
{
    uint64_t code_end = 0, end = 0;
    for (size_t i = 0; i < count; ++i) {
        bool is_code = (sorted[i].flags & SHF_EXECINSTR) != 0;
        if (sorted[i].offset < (is_code ? end : code_end))
            return accp_fail(
                error, ACCP_STATUS_INPUT, file, (int64_t)sorted[i].offset,
                "is damaged: section %.60s overlaps the one before it, %.60s, at byte %llu",
                sorted[i].name, sorted[i - 1].name, (unsigned long long)sorted[i].offset);
        uint64_t stop = sorted[i].offset + sorted[i].bytes;
        if (stop > end) end = stop;
        if (is_code && stop > code_end) code_end = stop;
    }
    return ACCP_STATUS_OK;
}

static enum accp_status check_overlap(const char *file, const struct accp_elf *elf,
                                      struct accp_error *error)
{
    struct accp_section *sorted = malloc(elf->section_count * sizeof *sorted);
    if (!sorted) return accp_fail(error, ACCP_STATUS_MEMORY, file, -1, "out of memory");
    size_t count = 0;
    for (size_t i = 1; i < elf->section_count; ++i)
        if (elf->sections[i].data && elf->sections[i].bytes > 0) sorted[count++] = elf->sections[i];
    qsort(sorted, count, sizeof *sorted, by_offset);
    enum accp_status status = check_sorted(file, sorted, count, error);
    free(sorted);
    return status;
}

static enum accp_status load_section(struct accp_elf *elf, size_t index, struct accp_error *error)
{
    GElf_Shdr header;
    Elf_Scn *scn = elf_getscn(elf->handle, index);
    if (!scn || !gelf_getshdr(scn, &header))
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, (int64_t)index,
                         "section %zu cannot be read: %s", index, elf_errmsg(-1));
    const char *name = elf_strptr(elf->handle, elf->names_index, header.sh_name);
    struct accp_section *section = &elf->sections[index];
    *section = (struct accp_section){.name = name ? name : "",
                                     .type = header.sh_type,
                                     .flags = header.sh_flags,
                                     .offset = header.sh_offset,
                                     .bytes = header.sh_size,
                                     .link = header.sh_link,
                                     .info = header.sh_info};
    if (header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL)
        section->data = elf->data + header.sh_offset;
    return ACCP_STATUS_OK;
}

static enum accp_status load_sections(struct accp_elf *elf, struct accp_error *error)
{
    elf_version(EV_CURRENT);
    /* libelf's prototype lacks a const; it does not write to the image. */
    elf->handle = elf_memory((char *)(uintptr_t)elf->data, elf->data_bytes);
    if (!elf->handle || elf_getshdrnum(elf->handle, &elf->section_count) != 0 ||
        elf_getshdrstrndx(elf->handle, &elf->names_index) != 0)
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, -1, "is a damaged ELF file: %s",
                         elf_errmsg(-1));
    if (elf->section_count == 0)
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, -1, "has no sections");
    elf->sections = calloc(elf->section_count, sizeof *elf->sections);
    if (!elf->sections) return accp_fail(error, ACCP_STATUS_MEMORY, elf->file, -1, "out of memory");
    elf->sections[0].name = "";
    for (size_t i = 1; i < elf->section_count; ++i)
        ACCP_TRY(load_section(elf, i, error));
    return ACCP_STATUS_OK;
}

static enum accp_status read_cubin(struct accp_elf *elf, const Elf64_Ehdr *header,
                                   struct accp_cubin *cubin, struct accp_error *error)
{
    ACCP_TRY(load_sections(elf, error));
    if (header->e_machine != MACHINE_CUDA)
        return wrong_machine(elf->file, elf, header->e_machine, error);
    ACCP_TRY(read_arch(elf->file, header, cubin, error));
    ACCP_TRY(check_overlap(elf->file, elf, error));
    ACCP_TRY(accp_cubin_read_kernels(elf, cubin, error));
    accp_cubin_read_compiler(elf, cubin);
    if (cubin->kernel_count > 0) return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, elf->file, -1,
                     "is a cubin without code: it has no .text section");
}

enum accp_status accp_cubin_open(const char *file, const uint8_t *data, size_t data_bytes,
                                 struct accp_cubin *cubin, struct accp_error *error)
{
    memset(cubin, 0, sizeof *cubin);
    Elf64_Ehdr header;
    ACCP_TRY(check_header(file, data, data_bytes, &header, error));
    ACCP_TRY(check_ranges(file, data, data_bytes, &header, error));
    struct accp_elf elf = {.file = file, .data = data, .data_bytes = data_bytes};
    cubin->data = data;
    cubin->data_bytes = data_bytes;
    enum accp_status status = read_cubin(&elf, &header, cubin, error);
    free(elf.sections);
    if (elf.handle) elf_end(elf.handle);
    if (status != ACCP_STATUS_OK) accp_cubin_close(cubin);
    return status;
}

void accp_cubin_close(struct accp_cubin *cubin)
{
    free(cubin->kernels);
    memset(cubin, 0, sizeof *cubin);
}

const struct accp_kernel *accp_cubin_find(const struct accp_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->kernel_count; ++i)
        if (strcmp(cubin->kernels[i].name, name) == 0) return &cubin->kernels[i];
    return NULL;
}
