/* Text of others inside markup and Markdown; tables; the scales of plots, and plots in their places. */
#include "report/markup.h"
#include "report/plot.h"
#include "report/table.h"

/* cmocka.h wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct {
    const char *text, *written;
} texts[] = {
    {"plain ± text", "plain ± text"},
    {"<a href=\"x\" b='y'>&amp;", "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;"},
    {"line\nand\ttab", "line\nand\ttab"},
    {"\x01\x1b[31m\x7f", "\uFFFD\uFFFD[31m\uFFFD"},
    {"\xc2\x80", "\uFFFD"},            /* a control character in two bytes */
    {"\xff<\xc3", "\uFFFD&lt;\uFFFD"}, /* no UTF-8, and its beginning alone */
    {"\xc0\xbc\xe0\x80\xbc", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"}, /* < in more bytes than it needs */
    {"\xed\xa0\x80", "\uFFFD"},                                 /* a surrogate */
    {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},           /* beyond Unicode */
    {"\xef\xbf\xbe\xef\xbf\xbf", "\uFFFD\uFFFD"},
    {"a\u202eb\u2066c", "a\uFFFDb\uFFFDc"},
    {"\U0001F680", "\U0001F680"},
};

static void escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char *written;
        size_t bytes;
        FILE *stream = open_memstream(&written, &bytes);
        accp_markup_text(stream, texts[i].text);
        fclose(stream);
        assert_string_equal(written, texts[i].written);
        free(written);
    }
}

static const struct {
    const char *text, *written;
} markdown[] = {
    {"a|b\nc", "a\\|b c"},
    {"optimal_chain29_acc2", "optimal_chain29_acc2"},
    {"__global__ _x", "\\_\\_global\\_\\_ \\_x"},
    {"@all #12 o/r#3 http://a www.b",
     "@&#8203;all #&#8203;12 o/r#&#8203;3 http:&#8203;//a w&#8203;ww.b"},
    {"level@8, 100 % @ 2 #", "level@8, 100 % @ 2 #"},
    {"*a* ~b~ `c` [d](e) <f> &g; \\", "\\*a\\* \\~b\\~ \\`c\\` \\[d\\](e) \\<f\\> \\&g; \\\\"},
};

static void escapes_markdown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof markdown / sizeof *markdown; ++i) {
        char *written;
        size_t bytes;
        FILE *stream = open_memstream(&written, &bytes);
        accp_markdown_text(stream, markdown[i].text);
        fclose(stream);
        assert_string_equal(written, markdown[i].written);
        free(written);
    }
}

static void ranges(void **state)
{
    static const double ends[][2] = {{0, 1},       {34, 52404.9}, {68, 68},    {0, 0},
                                     {1e-9, 2e-9}, {-3, 5},       {99.9, 100}, {1e16, 1e16 + 2}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        double low = ends[i][0], high = ends[i][1], step = accp_plot_step(&low, &high);
        double steps = (high - low) / step;
        assert_true(low <= ends[i][0] && high >= ends[i][1] && low < high);
        assert_true(steps > 1.9 && steps < 8.1);
    }
}

/* Two plots between texts; the notes of their marks are a stranger's. */
static enum accp_status draw(char **written, struct accp_error *error)
{
    static const double line[][2] = {{0, 1}, {2, 3}};
    struct accp_plots plots;
    size_t bytes, page_bytes;
    char *text;
    FILE *page = open_memstream(&text, &page_bytes), *stream = open_memstream(written, &bytes);
    assert_int_equal(accp_plots_init(&plots, error), ACCP_STATUS_OK);
    fputs("before ", page);
    for (int plot = 0; plot < 2; ++plot) {
        accp_plot_begin(&plots, page, 200, 100, 2, plot == 0 ? "one" : "two <b>");
        accp_plot_range(&plots, ACCP_PLOT_X, -1, 3, 0, false, "across");
        accp_plot_range(&plots, ACCP_PLOT_Y, 0, 4, 2, true, "");
        accp_plot_tick(&plots, ACCP_PLOT_X, 0, "acc", 7);
        accp_plot_line(&plots, ACCP_PLOT_JOIN, 0, line, 2);
        accp_plot_mark(&plots, ACCP_PLOT_DOT, ACCP_PLOT_DISC, 4, 0, 1, "<i>' `touch pwned`");
        accp_plot_mark(&plots, ACCP_PLOT_DOT, ACCP_PLOT_DISC, 4, 2, 3, NULL);
        accp_plot_bar(&plots, ACCP_PLOT_BAND, 0, 1, 1, 2);
        accp_plot_end(&plots);
        fputs(plot == 0 ? " between " : " after", page);
    }
    fclose(page);
    enum accp_status status = accp_plots_draw(&plots, text, stream, error);
    fclose(stream);
    accp_plots_fini(&plots);
    free(text);
    return status;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        ++count;
    return count;
}

static void plots_in_their_places(void **state)
{
    struct accp_error error;
    char path[PATH_MAX], *written;
    (void)state;
    if (accp_plot_tool(path, &error) != ACCP_STATUS_OK) {
        print_message("skipped: %s %s\n", error.where, error.text);
        skip();
    }
    assert_int_equal(draw(&written, &error), ACCP_STATUS_OK);
    const char *one = strstr(written, "<title>one</title>"),
               *two = strstr(written, "<title>two &lt;b&gt;</title>");
    assert_true(one && two && strstr(written, "before <svg") == written);
    assert_true(one < strstr(written, " between ") && strstr(written, " between ") < two);
    assert_non_null(strstr(two, "</svg>\n after"));
    assert_int_equal(count_of(written, "<title>&lt;i&gt;&#39; `touch pwned`</title></use>"), 2);
    assert_int_equal(count_of(written, "<use xlink:href='#gpPt6' transform="), 4);
    assert_int_equal(count_of(written, "<defs>"), 1);
    assert_int_equal(count_of(written, "<g "), count_of(written, "</g>"));
    assert_int_equal(count_of(written, "font"), 0);
    assert_int_equal(count_of(written, "acc7"), 2);
    free(written);
}

/* A gnuplot that is not there, that fails, and that draws nothing. */
static void what_gnuplot_does_not_do(void **state)
{
    static const struct {
        const char *script, *said;
    } cases[] = {
        {NULL, "apt-get install gnuplot-nox"},
        {"#!/bin/sh\necho 'no terminal' >&2\nexit 1\n", "did not draw the figures: no terminal"},
        {"#!/bin/sh\n", "drew 0 of 2 figures with 0 of 4 marks"},
    };
    char folder[] = "/tmp/accprobe-unit.XXXXXX", path[64], *kept = strdup(getenv("PATH"));
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    setenv("PATH", folder, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct accp_error error;
        char *written;
        if (cases[i].script) {
            FILE *stream = fopen(path, "w");
            fputs(cases[i].script, stream);
            fclose(stream);
            chmod(path, 0700);
        }
        assert_int_not_equal(draw(&written, &error), ACCP_STATUS_OK);
        assert_non_null(strstr(error.text, cases[i].said));
        free(written);
    }
    setenv("PATH", kept, 1);
    unlink(path);
    rmdir(folder);
    free(kept);
}

/* A table with `letter` in a cell; the caller frees. */
static char *table_with(const char *letter, size_t rows)
{
    static const struct accp_column columns[] = {{"name", false, true},
                                                 {"a number", true, false},
                                                 {"x", false, false},
                                                 {"last", false, false}};
    struct accp_table *table;
    char *text;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    assert_int_equal(accp_table_create(columns, 4, &table, NULL), ACCP_STATUS_OK);
    for (size_t row = 0; row < rows; ++row) {
        assert_int_equal(accp_table_row(table, NULL), ACCP_STATUS_OK);
        accp_table_cell(table, 0, "%.*s", (int)row, "abcdefg");
        accp_table_cell(table, 1, "%g", 1e5 / (double)(row + 1));
        if (row % 2) accp_table_cell(table, 2, "%s", letter);
        accp_table_cell(table, 3, row == 1 ? "" : "what is left");
    }
    assert_int_equal(accp_table_print(table, stream, false, NULL), ACCP_STATUS_OK);
    accp_table_destroy(table);
    fclose(stream);
    return text;
}

/* What is plain is laid out here, the rest by libsmartcols: one cannot be told from the other. */
static void tables_of_both_kinds(void **state)
{
    (void)state;
    for (size_t rows = 0; rows < 9; ++rows) {
        char *plain = table_with("e", rows), *wide = table_with("\u00e9", rows), *at;
        while ((at = strstr(wide, "\u00e9"))) {
            *at = 'e';
            memmove(at + 1, at + 2, strlen(at + 2) + 1);
        }
        assert_string_equal(plain, wide);
        assert_true(rows == 0 || strstr(plain, "    100000 "));
        free(plain);
        free(wide);
    }
    char *hidden = table_with("\x1b", 2);
    assert_null(strchr(hidden, 0x1b));
    free(hidden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(escapes_markdown),
        cmocka_unit_test(tables_of_both_kinds),
        cmocka_unit_test(ranges),
        cmocka_unit_test(plots_in_their_places),
        cmocka_unit_test(what_gnuplot_does_not_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
