/* Text of others inside markup, and the scales of plots. */
#include "report/markup.h"
#include "report/svg.h"

/* cmocka.h wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void ranges(void **state)
{
    static const double ends[][2] = {{0, 1},       {34, 52404.9}, {68, 68},   {0, 0},
                                     {1e-9, 2e-9}, {-3, 5},       {99.9, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        double low = ends[i][0], high = ends[i][1], step = accp_plot_range(&low, &high);
        double steps = (high - low) / step;
        assert_true(low <= ends[i][0] && high >= ends[i][1] && low < high);
        assert_true(steps > 1.9 && steps < 8.1);
    }
}

static void places(void **state)
{
    const struct accp_plot plot = {NULL, 10, 20, 100, 50, 0, 4, 0, 10};
    (void)state;
    assert_float_equal(accp_plot_x(&plot, 1), 35, 1e-9);
    assert_float_equal(accp_plot_y(&plot, 0), 70, 1e-9);
    assert_float_equal(accp_plot_y(&plot, 10), 20, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(ranges),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
