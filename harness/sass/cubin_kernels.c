#include "base/text.h"
#include "sass/cubin_internal.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_TOOLKIT_INFO = 2000,  /* .note.nv.tkinfo */
    SYMBOL_OTHER_ENTRY = 0x10, /* STO_CUDA_ENTRY */
    FUNCTION_LIMIT = 1 << 20,
    REGISTERS_MOST = 256 /* more is no register count, and left unknown */
};

/* Attributes of .nv.info: a byte of form, a byte of number, then a 16-bit value or (form 4) the
 * size of what follows. */
enum { FORM_VALUE8 = 2, FORM_VALUE16 = 3, FORM_SIZED = 4 };
enum attribute {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_PARAMETER_BANK = 0x0a,
    ATTRIBUTE_REQUIRED_THREADS = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_PARAMETER_SIZE = 0x19,
    ATTRIBUTE_REGISTER_LIMIT = 0x1b,
    ATTRIBUTE_REGISTERS = 0x2f,
    ATTRIBUTE_TOOLKIT = 0x37
};

static uint32_t read32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint16_t read16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static int clamp_int(uint32_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

struct attribute_item {
    uint8_t form, number;
    uint16_t value; /* the value, or the size of payload */
    const uint8_t *payload;
};

/* Steps through a section of attributes; false at its end, or where the rest is not one. */
static bool next_attribute(const struct accp_section *section, uint64_t *at,
                           struct attribute_item *item)
{
    if (!section->data || section->bytes - *at < 4) return false;
    const uint8_t *here = section->data + *at;
    *item = (struct attribute_item){here[0], here[1], read16(here + 2), here + 4};
    *at += 4;
    if (item->form != FORM_SIZED) return true;
    if (section->bytes - *at < item->value) return false;
    *at += item->value;
    return true;
}

static const struct accp_section *find_section(const struct accp_elf *elf, const char *prefix,
                                               const char *name)
{
    size_t prefix_bytes = strlen(prefix);
    for (size_t i = 1; i < elf->section_count; ++i)
        if (strncmp(elf->sections[i].name, prefix, prefix_bytes) == 0 &&
            strcmp(elf->sections[i].name + prefix_bytes, name) == 0)
            return &elf->sections[i];
    return NULL;
}

static void read_threads(const struct attribute_item *item, int threads[3])
{
    if (item->form != FORM_SIZED || item->value < 12) return;
    for (int i = 0; i < 3; ++i)
        threads[i] = clamp_int(read32(item->payload + 4 * i));
}

/* .nv.info.<kernel>: what concerns this kernel alone. */
static void read_own_attributes(const struct accp_section *section, struct accp_kernel *kernel)
{
    struct attribute_item item;
    for (uint64_t at = 0; next_attribute(section, &at, &item);)
        switch (item.number) {
        case ATTRIBUTE_MAX_THREADS:
            read_threads(&item, kernel->max_threads);
            break;
        case ATTRIBUTE_REQUIRED_THREADS:
            read_threads(&item, kernel->required_threads);
            break;
        case ATTRIBUTE_PARAMETER_SIZE:
            if (item.form == FORM_VALUE16) kernel->parameter_bytes = item.value;
            break;
        case ATTRIBUTE_PARAMETER_BANK: /* symbol of the section, offset, size */
            if (item.form == FORM_SIZED && item.value >= 8)
                kernel->parameter_offset = read16(item.payload + 4);
            break;
        case ATTRIBUTE_REGISTER_LIMIT:
            if (item.form == FORM_VALUE16) kernel->register_limit = item.value;
            break;
        default:
            break;
        }
}

/* .nv.info: rows of (symbol, value) for all kernels. */
static void read_shared_attributes(const struct accp_section *section, uint32_t symbol,
                                   struct accp_kernel *kernel)
{
    struct attribute_item item;
    for (uint64_t at = 0; next_attribute(section, &at, &item);) {
        if (item.form != FORM_SIZED || item.value < 8 || read32(item.payload) != symbol) continue;
        uint32_t value = read32(item.payload + 4);
        if (item.number == ATTRIBUTE_REGISTERS && value <= REGISTERS_MOST)
            kernel->registers = (int)value;
        if (item.number == ATTRIBUTE_FRAME_SIZE) kernel->frame_bytes = value;
    }
}

static void read_facts(const struct accp_elf *elf, const struct accp_section *text, uint32_t symbol,
                       struct accp_kernel *kernel)
{
    int from_header = (int)(text->info >> 24); /* up to CUDA 11.x */
    kernel->registers = from_header > 0 ? from_header : -1;
    kernel->frame_bytes = kernel->parameter_bytes = kernel->parameter_offset = -1;
    kernel->register_limit = -1;
    for (int i = 0; i < 3; ++i)
        kernel->max_threads[i] = kernel->required_threads[i] = -1;
    const struct accp_section *section = find_section(elf, ".nv.info", "");
    if (section) read_shared_attributes(section, symbol, kernel);
    section = find_section(elf, ".nv.info.", kernel->name);
    if (section) read_own_attributes(section, kernel);
    section = find_section(elf, ".nv.shared.", kernel->name);
    kernel->shared_bytes = section ? (int64_t)(section->bytes & INT64_MAX) : 0;
    section = find_section(elf, ".nv.local.", kernel->name);
    kernel->local_bytes = section ? (int64_t)(section->bytes & INT64_MAX) : 0;
}

static enum accp_status check_code(const struct accp_elf *elf, const struct accp_section *text,
                                   const struct accp_kernel *kernel, struct accp_error *error)
{
    if (kernel->code_bytes % ACCP_INSTRUCTION_BYTES == 0 && kernel->code_bytes > 0)
        return ACCP_STATUS_OK;
    return accp_fail(error, ACCP_STATUS_INPUT, elf->file, (int64_t)text->offset,
                     "is damaged: %.80s holds %zu bytes of code, not a multiple of 16",
                     kernel->name, kernel->code_bytes);
}

static bool is_code(const struct accp_section *section)
{
    return section->data && section->bytes > 0 && section->type == SHT_PROGBITS &&
           (section->flags & SHF_EXECINSTR) && strncmp(section->name, ".text", 5) == 0;
}

/* A string inside the caller's bytes, so that it lives as long as they do; NULL if it does not end
 * there. */
static const char *name_in_file(const struct accp_section *table, uint64_t at)
{
    if (!table->data || at >= table->bytes) return NULL;
    const char *name = (const char *)table->data + at;
    return memchr(name, 0, (size_t)(table->bytes - at)) ? name : NULL;
}

static enum accp_status append_kernel(const struct accp_elf *elf, const struct accp_section *text,
                                      uint32_t symbol, const struct accp_kernel *given,
                                      struct accp_cubin *cubin, struct accp_error *error)
{
    struct accp_kernel *kernel = &cubin->kernels[cubin->kernel_count];
    *kernel = *given;
    if (accp_text_hidden_at(kernel->name) >= 0)
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, symbol,
                         "is damaged: the name of a kernel, %.80s, holds control characters or "
                         "is no UTF-8",
                         kernel->name);
    ACCP_TRY(check_code(elf, text, kernel, error));
    read_facts(elf, text, symbol, kernel);
    ++cubin->kernel_count;
    return ACCP_STATUS_OK;
}

/* One FUNC symbol. */
static enum accp_status read_function(const struct accp_elf *elf, const struct accp_section *names,
                                      uint32_t index, const Elf64_Sym *symbol,
                                      struct accp_cubin *cubin, struct accp_error *error)
{
    const struct accp_section *text = &elf->sections[symbol->st_shndx];
    const char *name = name_in_file(names, symbol->st_name);
    if (!name || !*name || symbol->st_value > text->bytes ||
        symbol->st_size > text->bytes - symbol->st_value)
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, index,
                         "is damaged: symbol %" PRIu32 " (%.60s) lies outside its section", index,
                         name ? name : "no name");
    struct accp_kernel kernel = {.name = name,
                                 .code = text->data + symbol->st_value,
                                 .code_bytes = (size_t)symbol->st_size,
                                 .is_entry = (symbol->st_other & SYMBOL_OTHER_ENTRY) != 0};
    return append_kernel(elf, text, index, &kernel, cubin, error);
}

static enum accp_status read_functions(const struct accp_elf *elf, const struct accp_section *table,
                                       struct accp_cubin *cubin, struct accp_error *error)
{
    uint64_t count = table->bytes / sizeof(Elf64_Sym);
    if (table->link >= elf->section_count || count > FUNCTION_LIMIT)
        return accp_fail(error, ACCP_STATUS_INPUT, elf->file, -1, "has a damaged symbol table");
    for (int pass = 0; pass < 2; ++pass) {
        size_t found = 0;
        for (uint32_t i = 0; i < count; ++i) {
            Elf64_Sym symbol;
            memcpy(&symbol, table->data + i * sizeof symbol, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_shndx >= elf->section_count || symbol.st_size == 0 ||
                !is_code(&elf->sections[symbol.st_shndx]))
                continue;
            ++found;
            if (pass == 1)
                ACCP_TRY(read_function(elf, &elf->sections[table->link], i, &symbol, cubin, error));
        }
        if (pass == 1 || found == 0) break;
        cubin->kernels = calloc(found, sizeof *cubin->kernels);
        if (!cubin->kernels)
            return accp_fail(error, ACCP_STATUS_MEMORY, elf->file, -1, "out of memory");
    }
    return ACCP_STATUS_OK;
}

/* A stripped cubin: the sections still say the names, and sh_info the number of the lost symbol. */
static enum accp_status read_bare_sections(const struct accp_elf *elf, struct accp_cubin *cubin,
                                           struct accp_error *error)
{
    cubin->kernels = calloc(elf->section_count, sizeof *cubin->kernels);
    if (!cubin->kernels)
        return accp_fail(error, ACCP_STATUS_MEMORY, elf->file, -1, "out of memory");
    const struct accp_section *names = &elf->sections[elf->names_index];
    for (size_t i = 1; i < elf->section_count; ++i) {
        const struct accp_section *text = &elf->sections[i];
        if (!is_code(text)) continue;
        const char *in_file = names->data ? memmem(names->data, (size_t)names->bytes, text->name,
                                                   strlen(text->name) + 1)
                                          : NULL;
        if (!in_file) continue;
        bool suffixed = strncmp(text->name, ".text.", 6) == 0;
        struct accp_kernel kernel = {.name = suffixed ? in_file + 6 : in_file,
                                     .code = text->data,
                                     .code_bytes = (size_t)text->bytes,
                                     .is_entry = -1};
        ACCP_TRY(append_kernel(elf, text, text->info & 0xffffff, &kernel, cubin, error));
    }
    return ACCP_STATUS_OK;
}

static int by_code(const void *left, const void *right)
{
    const struct accp_kernel *a = left, *b = right;
    return a->code < b->code ? -1 : a->code > b->code;
}

enum accp_status accp_cubin_read_kernels(const struct accp_elf *elf, struct accp_cubin *cubin,
                                         struct accp_error *error)
{
    for (size_t i = 1; i < elf->section_count && !cubin->kernels; ++i)
        if (elf->sections[i].type == SHT_SYMTAB && elf->sections[i].data)
            ACCP_TRY(read_functions(elf, &elf->sections[i], cubin, error));
    if (!cubin->kernels) ACCP_TRY(read_bare_sections(elf, cubin, error));
    qsort(cubin->kernels, cubin->kernel_count, sizeof *cubin->kernels, by_code);
    return ACCP_STATUS_OK;
}

/* A member of the note's string table, cut to fit. */
static void copy_note_text(const uint8_t *strings, size_t strings_bytes, uint32_t at, char *text)
{
    if (at >= strings_bytes) return;
    size_t length = strnlen((const char *)strings + at, strings_bytes - at);
    if (length >= ACCP_CUBIN_TEXT_BYTES) length = ACCP_CUBIN_TEXT_BYTES - 1;
    for (size_t i = 0; i < length; ++i)
        text[i] = strings[at + i] >= 0x20 && strings[at + i] < 0x7f ? (char)strings[at + i] : '?';
    for (; length > 0 && text[length - 1] == ' '; --length)
        ;
    text[length] = 0;
}

/* Layout of the description: version, then the offsets of object, tool, version, branch and options
 * in the string table that follows. "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0.88".
 */
static void read_toolkit_note(const struct accp_section *note, struct accp_cubin *cubin)
{
    enum { HEADER = 12, OFFSETS = 24 };
    if (!note->data || note->bytes < HEADER || read32(note->data + 8) != NOTE_TOOLKIT_INFO) return;
    uint64_t name_bytes = ((uint64_t)read32(note->data) + 3) & ~(uint64_t)3;
    if (name_bytes > note->bytes - HEADER) return;
    const uint8_t *description = note->data + HEADER + name_bytes;
    uint64_t bytes = note->bytes - HEADER - name_bytes, stated = read32(note->data + 4);
    if (stated < bytes) bytes = stated;
    if (bytes < OFFSETS) return;
    const uint8_t *strings = description + OFFSETS;
    size_t strings_bytes = (size_t)(bytes - OFFSETS);
    char release[ACCP_CUBIN_TEXT_BYTES] = "";
    copy_note_text(strings, strings_bytes, read32(description + 8), cubin->compiler_name);
    copy_note_text(strings, strings_bytes, read32(description + 12), release);
    copy_note_text(strings, strings_bytes, read32(description + 20), cubin->compiler_flags);
    const char *version = strstr(release, ", V");
    snprintf(cubin->compiler_version, sizeof cubin->compiler_version, "%s",
             version ? version + 3 : release);
}

void accp_cubin_read_compiler(const struct accp_elf *elf, struct accp_cubin *cubin)
{
    const struct accp_section *note = find_section(elf, ".note.nv.tkinfo", "");
    if (note) read_toolkit_note(note, cubin);
    for (size_t i = 1; i < elf->section_count && !cubin->compiler_version[0]; ++i) {
        const struct accp_section *section = &elf->sections[i];
        if (strncmp(section->name, ".nv.info.", 9) != 0) continue;
        struct attribute_item item;
        for (uint64_t at = 0; next_attribute(section, &at, &item);)
            if (item.number == ATTRIBUTE_TOOLKIT && item.form == FORM_SIZED && item.value >= 4)
                snprintf(cubin->compiler_version, sizeof cubin->compiler_version,
                         "%" PRIu32 ".%" PRIu32, read32(item.payload) / 10,
                         read32(item.payload) % 10);
    }
}
