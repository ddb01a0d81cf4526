#include "base/file.h"
#include "base/json.h"
#include "base/random.h"
#include "matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_error_is_one_printable_line(void **state)
{
    (void)state;
    struct accp_error error;
    assert_int_equal(accp_fail(&error, ACCP_STATUS_INPUT, "a\nb", 7, "x\x1b[31m%d", 5),
                     ACCP_STATUS_INPUT);
    char line[128];
    accp_error_line(&error, line, sizeof line);
    assert_string_equal(line, "a?b: x?[31m5");
    assert_int_equal(error.offset, 7);
    accp_fail(&error, ACCP_STATUS_INPUT, "\xc2\x9b[m", -1, "\xe2\x80\xaeno \xff \xc3\xa9");
    accp_error_line(&error, line, sizeof line);
    assert_string_equal(line, "??[m: ???no ? \xc3\xa9");
    assert_int_equal(accp_fail(NULL, ACCP_STATUS_IO, NULL, -1, "no error wanted"), ACCP_STATUS_IO);
    assert_string_equal(accp_status_text((enum accp_status)99), "unknown");
}

static void test_file_round_trip(void **state)
{
    (void)state;
    char folder[] = "/tmp/accp_base_XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a/b", folder);
    struct accp_error error;
    assert_int_equal(accp_folder_make(path, NULL, &error), ACCP_STATUS_OK);
    /* Taken back are those that were missing, as far as they are empty. */
    int made;
    char deep[512];
    snprintf(deep, sizeof deep, "%s/c//d/", path);
    assert_int_equal(accp_folder_make(deep, &made, &error), ACCP_STATUS_OK);
    assert_int_equal(made, 2);
    accp_folder_unmake(deep, made);
    accp_folder_unmake(deep, made);
    assert_int_equal(accp_folder_make(path, &made, &error), ACCP_STATUS_OK);
    assert_int_equal(made, 0);
    accp_folder_unmake(path, made);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(accp_folder_make(path, NULL, &error), ACCP_STATUS_OK);
    strcat(path, "/file");
    assert_int_equal(accp_file_write_atomic(path, "first", 5, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_file_write_atomic(path, "second", 6, &error), ACCP_STATUS_OK);
    struct accp_bytes bytes;
    assert_int_equal(accp_file_read(path, 6, &bytes, &error), ACCP_STATUS_OK);
    assert_int_equal(bytes.size, 6);
    assert_string_equal((char *)bytes.data, "second");
    accp_bytes_fini(&bytes);
    assert_int_equal(accp_file_read(path, 5, &bytes, &error), ACCP_STATUS_INPUT);
    assert_int_equal(accp_file_read(folder, 5, &bytes, &error), ACCP_STATUS_INPUT);
    assert_int_equal(accp_file_read("/nonexistent/x", 5, &bytes, &error), ACCP_STATUS_IO);
    assert_int_equal(accp_file_write_atomic("/nonexistent/x", "a", 1, &error), ACCP_STATUS_IO);
    /* A file in the way: what was made before it is gone again. */
    snprintf(deep, sizeof deep, "%s/a/b/e/%0300d/f", folder, 0);
    assert_int_equal(accp_folder_make(deep, NULL, &error), ACCP_STATUS_IO);
    char command[160];
    snprintf(command, sizeof command, "test $(ls %s/a/b | wc -l) = 1 && rm -r %s", folder, folder);
    assert_int_equal(system(command), 0);
}

/* As root, --out /dev/null must leave /dev/null a device. A pipe stands for it: that needs no root. */
static void test_only_files_are_replaced(void **state)
{
    (void)state;
    char folder[] = "/tmp/accp_base_XXXXXX", file[64], link[64], pipe[64], got[8] = {0};
    struct accp_error error;
    struct stat found;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const int reader = open(pipe, O_RDWR | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(accp_file_write_atomic(pipe, "data", 4, &error), ACCP_STATUS_OK);
    assert_int_equal(lstat(pipe, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    assert_int_equal(read(reader, got, sizeof got), 4);
    assert_string_equal(got, "data");
    close(reader);
    assert_int_equal(accp_file_write_atomic(file, "old", 3, &error), ACCP_STATUS_OK);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(accp_file_write_atomic(link, "newer", 5, &error), ACCP_STATUS_OK);
    assert_int_equal(lstat(link, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(lstat(file, &found), 0);
    assert_int_equal(found.st_size, 5);
    assert_int_equal(accp_file_write_atomic(folder, "a", 1, &error), ACCP_STATUS_IO);
    unlink(link);
    unlink(file);
    unlink(pipe);
    assert_int_equal(rmdir(folder), 0); /* and nothing temporary is left */
}

/* A page that is published through a link, before the first one was made. */
static void test_links_to_nothing_yet(void **state)
{
    (void)state;
    char folder[] = "/tmp/accp_base_XXXXXX", path[96], link[64], loop[64];
    struct accp_error error;
    struct stat found;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/there", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(loop, sizeof loop, "%s/loop", folder);
    snprintf(path, sizeof path, "%s/there/next", folder);
    assert_int_equal(symlink("there/next", link), 0);
    assert_int_equal(symlink("file", path), 0);
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(accp_file_write_atomic(link, "first", 5, &error), ACCP_STATUS_OK);
    assert_int_equal(lstat(link, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/there/file", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(accp_file_write_atomic(loop, "a", 1, &error), ACCP_STATUS_IO);
    assert_int_equal(unlink(loop), 0);
    snprintf(path, sizeof path, "%s/there", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(accp_file_write_atomic(link, "a", 1, &error), ACCP_STATUS_IO);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_missing_is_what_was_never_made(void **state)
{
    (void)state;
    char folder[] = "/tmp/accp_base_XXXXXX", path[96], link[64];
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/link", folder);
    assert_true(accp_file_is_missing(link));
    snprintf(path, sizeof path, "%s/a//b/c", folder);
    assert_true(accp_file_is_missing(path));
    assert_true(accp_file_is_missing("nowhere/accp_base"));
    assert_false(accp_file_is_missing(folder));
    assert_int_equal(symlink("nowhere", link), 0);
    assert_false(accp_file_is_missing(link));
    snprintf(path, sizeof path, "%s/link/a/b", folder);
    assert_false(accp_file_is_missing(path));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(".", link), 0);
    assert_true(accp_file_is_missing(path));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_pattern_stands_for_its_path(void **state)
{
    (void)state;
    char pattern[16];
    accp_file_pattern("a [b]*/c?\\", pattern, sizeof pattern);
    assert_string_equal(pattern, "a \\[b]\\*/c\\?\\\\");
    accp_file_pattern("**", pattern, 4); /* no half of one */
    assert_string_equal(pattern, "\\*");
    accp_file_pattern("", pattern, sizeof pattern);
    assert_string_equal(pattern, "");
}

/* A folder that a group shares, or a page that nobody else may read. */
static void test_modes_are_kept(void **state)
{
    (void)state;
    char folder[] = "/tmp/accp_base_XXXXXX", file[64];
    struct stat found;
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    const mode_t before = umask(0027);
    assert_int_equal(accp_file_write_atomic(file, "old", 3, NULL), ACCP_STATUS_OK);
    umask(before);
    assert_int_equal(stat(file, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_int_equal(chmod(file, 0664), 0);
    assert_int_equal(accp_file_write_atomic(file, "newer", 5, NULL), ACCP_STATUS_OK);
    assert_int_equal(stat(file, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0664);
    unlink(file);
    assert_int_equal(rmdir(folder), 0);
}

static void test_json_is_strict(void **state)
{
    (void)state;
    json_t *root;
    struct accp_json reader;
    struct accp_error error;
    const char text[] = "{\"format\": \"accprobe-run/2\", \"x\": {\"n\": 1.5, \"s\": \"a\\nb\"}}";
    assert_int_equal(accp_json_parse("f", text, sizeof text - 1, &root, &reader, &error),
                     ACCP_STATUS_OK);
    assert_int_equal(accp_json_format(&reader, "accprobe-run/1", &error), ACCP_STATUS_INPUT);
    assert_non_null(strstr(error.text, "format version 2"));
    assert_int_equal(accp_json_format(&reader, "accprobe-golden/1", &error), ACCP_STATUS_INPUT);
    struct accp_json member;
    assert_int_equal(accp_json_member(&reader, "x", JSON_OBJECT, &member, &error), ACCP_STATUS_OK);
    int64_t integer;
    double number;
    char string[8];
    assert_int_equal(accp_json_integer(&member, "n", 0, 9, &integer, &error), ACCP_STATUS_INPUT);
    assert_string_equal(error.text, "x.n: is a number, where an integer is needed");
    assert_int_equal(accp_json_number(&member, "n", 0, 1, &number, &error), ACCP_STATUS_INPUT);
    assert_int_equal(accp_json_number(&member, "n", 0, 2, &number, &error), ACCP_STATUS_OK);
    assert_int_equal(accp_json_string(&member, "s", string, sizeof string, &error),
                     ACCP_STATUS_INPUT);
    assert_int_equal(accp_json_string(&member, "t", string, sizeof string, &error),
                     ACCP_STATUS_INPUT);
    assert_string_equal(error.text, "x.t: is missing");
    json_decref(root);
    const char *const bad[] = {
        "", "[]", "{\"a\": NaN}", "{\"a\": 1, \"a\": 2}", "{\"a\": 1e999}", "{\"a\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_int_equal(accp_json_parse("f", bad[i], strlen(bad[i]), &root, &reader, &error),
                         ACCP_STATUS_INPUT);
}

static void test_random_repeats(void **state)
{
    (void)state;
    struct accp_random a = {42}, b = {42};
    uint64_t seen = 0;
    for (int i = 0; i < 1000; ++i) {
        uint32_t value = accp_random_below(&a, 10);
        assert_true(value < 10);
        assert_int_equal(value, accp_random_below(&b, 10));
        seen |= 1u << value;
    }
    assert_int_equal(seen, 1023);
    assert_int_equal(accp_random_next(&(struct accp_random){0}),
                     0xe220a8397b1dcdafu); /* published first output */
}

/* The row's id, which names its test, and its name say the same. */
static void test_names_follow_ids(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define ROLE_OF(probe, dispatch, id, chain, acc, effective, sink, placement) #probe "_" #id,
#include "roles.def"
    };
    assert_int_equal(sizeof ids / sizeof *ids, ACCP_ROLE_COUNT);
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char name[ACCP_NAME_BYTES];
        snprintf(name, sizeof name, "%s", accp_roles[i].name);
        for (char *at = name; *at; ++at)
            if (*at == '.') *at = '_';
        assert_string_equal(name, ids[i]);
    }
}

static void test_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char name[ACCP_NAME_BYTES], kernel[ACCP_NAME_BYTES];
        const struct accp_role *role = &accp_roles[i];
        if (role->dispatch == ACCP_DISPATCH_ALONE)
            snprintf(kernel, sizeof kernel, "%s_effective%d", role->name, role->effective);
        else
            snprintf(kernel, sizeof kernel, "%s_chain%d", accp_probe_names[role->probe],
                     role->chain);
        for (char *at = kernel; *at; ++at)
            if (*at == '.') *at = '_';
        assert_string_equal(kernel, role->kernel);
        snprintf(name, sizeof name, "%s", role->name);
        assert_ptr_equal(accp_role_find(name), role);
        assert_ptr_equal(accp_role_find(kernel),
                         role->dispatch == ACCP_DISPATCH_ALONE ? role : NULL);
    }
    assert_null(accp_role_find("optimal.chain29"));
    assert_non_null(accp_arch_find("sm_90"));
    assert_null(accp_arch_find("sm_9"));
    assert_int_equal(accp_probe_find("optimal"), ACCP_PROBE_optimal);
    assert_int_equal(accp_probe_find("opt"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_one_printable_line),
        cmocka_unit_test(test_file_round_trip),
        cmocka_unit_test(test_only_files_are_replaced),
        cmocka_unit_test(test_links_to_nothing_yet),
        cmocka_unit_test(test_missing_is_what_was_never_made),
        cmocka_unit_test(test_pattern_stands_for_its_path),
        cmocka_unit_test(test_modes_are_kept),
        cmocka_unit_test(test_json_is_strict),
        cmocka_unit_test(test_random_repeats),
        cmocka_unit_test(test_names_follow_ids),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
