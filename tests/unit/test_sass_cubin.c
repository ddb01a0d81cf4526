#include "test_sass_data.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void test_facts_of_each_compiler(void **state)
{
    (void)state;
    static const struct {
        const char *file, *arch, *version, *name;
        int sm, abi, registers;
        int64_t parameter_offset;
    } rows[] = {
        {"clock_around.sm_90.11.8", "sm_90", "11.8", "", 90, 7, 16, 0x210},
        {"clock_around.sm_90.12.4", "sm_90", "12.4", "", 90, 7, 14, 0x210},
        {"clock_around.sm_75.13.0", "sm_75", "13.0.88", "ptxas", 75, 8, 14, 0x160},
        {"clock_around.sm_90.13.0", "sm_90", "13.0.88", "ptxas", 90, 8, 14, 0x210},
        {"clock_around.sm_120.13.0", "sm_120", "13.0.88", "ptxas", 120, 8, 14, 0x380},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct opened opened = data_open(rows[i].file);
        const struct accp_cubin *cubin = &opened.cubin;
        assert_string_equal(cubin->arch_name, rows[i].arch);
        assert_int_equal(cubin->sm, rows[i].sm);
        assert_int_equal(cubin->abi, rows[i].abi);
        assert_non_null(cubin->arch);
        assert_string_equal(cubin->compiler_version, rows[i].version);
        assert_string_equal(cubin->compiler_name, rows[i].name);
        assert_int_equal(cubin->kernel_count, 1);
        const struct accp_kernel *kernel = &cubin->kernels[0];
        assert_string_equal(kernel->name, "optimal_chain7_acc1_effective1");
        assert_int_equal(kernel->is_entry, 1);
        assert_int_equal(kernel->registers, rows[i].registers);
        assert_int_equal(kernel->parameter_offset, rows[i].parameter_offset);
        assert_int_equal(kernel->parameter_bytes, 28);
        assert_int_equal(kernel->frame_bytes, 0);
        assert_int_equal(kernel->shared_bytes, 0);
        assert_int_equal(kernel->max_threads[0], -1);
        assert_int_equal(kernel->code_bytes % 128, 0);
        data_close(&opened);
    }
}

static void test_pick_names_what_there_is(void **state)
{
    (void)state;
    struct opened opened = data_open("loops.sm_90.13.0");
    const struct accp_kernel *kernel;
    struct accp_error error;
    assert_int_equal(accp_cubin_pick(&opened.cubin, "f", "loop_none", &kernel, &error),
                     ACCP_STATUS_OK);
    assert_string_equal(kernel->name, "loop_none");
    assert_int_equal(accp_cubin_pick(&opened.cubin, "f", NULL, &kernel, &error), ACCP_STATUS_INPUT);
    assert_string_equal(error.text, "has 2 kernels with a loop, of 3: choose one with --kernel: "
                                    "loop_nested, loop_several");
    assert_int_equal(accp_cubin_pick(&opened.cubin, "f", "x", &kernel, &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "has no kernel x; with a loop it has: loop_"));
    data_close(&opened);
}

static void test_plain_names(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *name; /* NULL: none */
    } rows[] = {
        {"_Z3dotPfi", "dot"},
        {"_Z3dotIfLi8EEvPT_i", "dot"},
        {"_ZL3dotPfi", "dot"},
        {"_ZN5space5inner3dotIfLi8EEEvPT_i", "space::inner::dot"},
        {"_ZN36_GLOBAL__N__b08eb015_4_k_cu_55e57cd56hiddenEPfi", "(anonymous namespace)::hidden"},
        {"dot", NULL},
        {"_Z", NULL},
        {"_ZN", NULL},
        {"_ZNS_3dotE", NULL},
        {"_Z0", NULL},
        {"_Z4dot", NULL},
        {"_Z99999999999999999999999dot", NULL},
        {"_Z-1dot", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char name[64];
        const bool is_mangled = accp_kernel_plain_name(rows[i].symbol, name, sizeof name);
        assert_int_equal(is_mangled, rows[i].name != NULL);
        if (is_mangled) assert_string_equal(name, rows[i].name);
    }
    char small[8];
    assert_false(accp_kernel_plain_name("_Z8eightoneP", small, sizeof small));
    assert_true(accp_kernel_plain_name("_Z7sevenoneP", small, sizeof small));
}

static Elf64_Ehdr *header_of(struct accp_bytes *bytes)
{
    return (Elf64_Ehdr *)(void *)bytes->data;
}

/* A section header of the file, by the name of its section. */
static Elf64_Shdr *section_of(struct accp_bytes *bytes, const char *name)
{
    Elf64_Ehdr *header = header_of(bytes);
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(bytes->data + header->e_shoff);
    const char *names = (const char *)bytes->data + sections[header->e_shstrndx].sh_offset;
    for (size_t i = 0; i < header->e_shnum; ++i)
        if (strcmp(names + sections[i].sh_name, name) == 0) return &sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

static const char text_section[] = ".text.optimal_chain7_acc1_effective1";

static void break_machine(struct accp_bytes *bytes)
{
    header_of(bytes)->e_machine = EM_X86_64;
}

static void break_host_object(struct accp_bytes *bytes)
{
    Elf64_Ehdr *header = header_of(bytes);
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(bytes->data + header->e_shoff);
    char *names = (char *)bytes->data + sections[header->e_shstrndx].sh_offset;
    strcpy(names + section_of(bytes, ".note.nv.tkinfo")->sh_name, ".nv_fatbin");
    header->e_machine = EM_X86_64;
}

static void break_fatbin(struct accp_bytes *bytes)
{
    memcpy(bytes->data, "\x50\xed\x55\xba\x01\x00\x10\x00", 8);
}

static void break_archive(struct accp_bytes *bytes)
{
    memcpy(bytes->data, "!<arch>\n", 8);
}

static void break_text(struct accp_bytes *bytes)
{
    memcpy(bytes->data, "// PTX", 6);
}

static void break_class(struct accp_bytes *bytes)
{
    bytes->data[EI_CLASS] = ELFCLASS32;
}

static void break_old_arch(struct accp_bytes *bytes)
{
    header_of(bytes)->e_flags = 70u << 8 | 2;
}

static void break_table_missing(struct accp_bytes *bytes)
{
    header_of(bytes)->e_shoff = 0;
}

static void break_table_offset(struct accp_bytes *bytes)
{
    header_of(bytes)->e_shoff = UINT64_MAX - 8;
}

static void break_table_count(struct accp_bytes *bytes)
{
    Elf64_Shdr *first = (Elf64_Shdr *)(void *)(bytes->data + header_of(bytes)->e_shoff);
    header_of(bytes)->e_shnum = 0;
    first->sh_size = (uint64_t)2 << 30;
}

static void break_no_section(struct accp_bytes *bytes)
{
    header_of(bytes)->e_shnum = 0;
}

static void break_section_size(struct accp_bytes *bytes)
{
    section_of(bytes, text_section)->sh_size = (uint64_t)2 << 30;
}

static void break_section_overflow(struct accp_bytes *bytes)
{
    section_of(bytes, text_section)->sh_offset = UINT64_MAX - 15;
    section_of(bytes, text_section)->sh_size = 16;
}

static void break_overlap(struct accp_bytes *bytes)
{
    section_of(bytes, text_section)->sh_offset = section_of(bytes, ".symtab")->sh_offset;
}

static void break_symbol(struct accp_bytes *bytes)
{
    Elf64_Shdr *table = section_of(bytes, ".symtab");
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(bytes->data + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; ++i)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC) symbols[i].st_size = UINT64_MAX;
}

static void break_code_size(struct accp_bytes *bytes)
{
    Elf64_Shdr *table = section_of(bytes, ".symtab");
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(bytes->data + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; ++i)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC) symbols[i].st_size -= 8;
}

static void break_no_code(struct accp_bytes *bytes)
{
    section_of(bytes, text_section)->sh_type = SHT_NOBITS;
}

static void test_bad_input_is_named(void **state)
{
    (void)state;
    static const struct {
        void (*damage)(struct accp_bytes *bytes);
        enum accp_status status;
        const char *text;
    } rows[] = {
        {break_text, ACCP_STATUS_INPUT, "is not an ELF file"},
        {break_fatbin, ACCP_STATUS_INPUT, "cuobjdump -xelf all"},
        {break_archive, ACCP_STATUS_INPUT, "is a library of object files"},
        {break_class, ACCP_STATUS_INPUT, "not a 64-bit little-endian one"},
        {break_machine, ACCP_STATUS_INPUT, "is an ELF file for machine 62"},
        {break_host_object, ACCP_STATUS_INPUT, "is a host object with a fatbin inside"},
        {break_old_arch, ACCP_STATUS_UNSUPPORTED, "is a cubin for sm_70"},
        {break_table_missing, ACCP_STATUS_INPUT, "has no section table"},
        {break_table_offset, ACCP_STATUS_INPUT, "is truncated: its section table would start"},
        {break_table_count, ACCP_STATUS_INPUT, "section table of 2147483648 entries"},
        {break_no_section, ACCP_STATUS_INPUT, "has no section: its header counts none"},
        {break_section_size, ACCP_STATUS_INPUT, "would hold 2147483648 bytes"},
        {break_section_overflow, ACCP_STATUS_INPUT,
         "would hold 16 bytes from byte 18446744073709551600"},
        {break_overlap, ACCP_STATUS_INPUT, "overlaps"},
        {break_symbol, ACCP_STATUS_INPUT, "lies outside its section"},
        {break_code_size, ACCP_STATUS_INPUT, "not a multiple of 16"},
        {break_no_code, ACCP_STATUS_INPUT, "without code"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct accp_bytes bytes = data_read("clock_around.sm_90.13.0");
        struct accp_cubin cubin;
        struct accp_error error;
        rows[i].damage(&bytes);
        assert_int_equal(accp_cubin_open("bad.cubin", bytes.data, bytes.size, &cubin, &error),
                         rows[i].status);
        assert_string_equal(error.where, "bad.cubin");
        if (!strstr(error.text, rows[i].text)) fail_msg("row %zu: \"%s\"", i, error.text);
        assert_null(cubin.kernels);
        assert_int_equal(cubin.kernel_count, 0);
        accp_bytes_fini(&bytes);
    }
}

/* A header that counts no sections leaves their number to the first of them, however many there are. */
static void test_sections_counted_by_the_first(void **state)
{
    (void)state;
    struct accp_bytes bytes = data_read("clock_around.sm_90.13.0");
    struct accp_cubin cubin;
    Elf64_Shdr *first = (Elf64_Shdr *)(void *)(bytes.data + header_of(&bytes)->e_shoff);
    first->sh_size = header_of(&bytes)->e_shnum;
    header_of(&bytes)->e_shnum = 0;
    assert_int_equal(accp_cubin_open("many.cubin", bytes.data, bytes.size, &cubin, NULL),
                     ACCP_STATUS_OK);
    assert_true(cubin.kernel_count > 0);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
}

/* A file cut off anywhere is refused; the section table stands at its end. */
static void test_truncated_anywhere(void **state)
{
    (void)state;
    struct accp_bytes bytes = data_read("clock_around.sm_90.12.4");
    for (size_t size = 0; size < bytes.size;
         size += size < 512 || size + 62 > bytes.size ? 1 : 61) {
        uint8_t *copy =
            malloc(size + !size); /* so that a read past the end is a read past an allocation */
        struct accp_cubin cubin;
        struct accp_error error;
        memcpy(copy, bytes.data, size);
        assert_int_equal(accp_cubin_open("cut", copy, size, &cubin, &error), ACCP_STATUS_INPUT);
        free(copy);
    }
    accp_bytes_fini(&bytes);
}

/* Without symbols the sections still name the kernels, and number the symbols that are gone. */
static void test_stripped_of_symbols(void **state)
{
    (void)state;
    struct accp_bytes bytes = data_read("clock_around.sm_90.13.0");
    struct accp_cubin cubin;
    struct accp_error error;
    section_of(&bytes, ".symtab")->sh_type = SHT_PROGBITS;
    assert_int_equal(accp_cubin_open("bare", bytes.data, bytes.size, &cubin, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(cubin.kernel_count, 1);
    assert_string_equal(cubin.kernels[0].name, "optimal_chain7_acc1_effective1");
    assert_int_equal(cubin.kernels[0].is_entry, -1);
    assert_int_equal(cubin.kernels[0].registers, 14);
    accp_cubin_close(&cubin);
    accp_bytes_fini(&bytes);
}

static void test_section_order_does_not_matter(void **state)
{
    (void)state;
    struct opened opened = data_open("loops.sm_90.13.0");
    for (size_t i = 1; i < opened.cubin.kernel_count; ++i)
        assert_true(opened.cubin.kernels[i - 1].code < opened.cubin.kernels[i].code);
    data_close(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_of_each_compiler),
        cmocka_unit_test(test_pick_names_what_there_is),
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_bad_input_is_named),
        cmocka_unit_test(test_sections_counted_by_the_first),
        cmocka_unit_test(test_truncated_anywhere),
        cmocka_unit_test(test_stripped_of_symbols),
        cmocka_unit_test(test_section_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
