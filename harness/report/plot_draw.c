#include "report/plot.h"

#include "base/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ANSWER_LIMIT_BYTES = 64 << 20 };

enum accp_status accp_plot_tool(char path[PATH_MAX], struct accp_error *error)
{
    const char *at = getenv("PATH");
    for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        int length = (int)strcspn(at, ":");
        if (length == 0) continue; /* the folder that one happens to be in */
        int used = snprintf(path, PATH_MAX, "%.*s/gnuplot", length, at);
        if (used > 0 && used < PATH_MAX && access(path, X_OK) == 0) return ACCP_STATUS_OK;
    }
    return accp_fail(error, ACCP_STATUS_UNSUPPORTED, "gnuplot", -1,
                     "is not installed, and draws the figures of a page: sudo apt-get install "
                     "gnuplot-nox");
}

/* What gnuplot reads and writes lies in memory, as files: no pipe can fill. */
struct channel {
    int descriptors[3];
};

static enum accp_status wait_for(pid_t process, const char *tool, int *status,
                                 struct accp_error *error)
{
    static const struct timespec nap = {0, 5000000};
    const double timeout_s = accp_timeout_s();
    for (double waited_s = 0; waited_s < timeout_s; waited_s += (double)nap.tv_nsec / 1e9) {
        const pid_t ended = waitpid(process, status, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR)) return ACCP_STATUS_OK;
        nanosleep(&nap, NULL);
    }
    kill(process, SIGKILL);
    waitpid(process, status, 0);
    return accp_fail(error, ACCP_STATUS_IO, tool, -1, "did not draw the figures within %.3g s",
                     timeout_s);
}

static enum accp_status start_and_wait(const char *tool, const struct channel *channel, int *status,
                                       struct accp_error *error)
{
    static char name[] = "gnuplot", defaults[] = "-d", input[] = "-";
    char *words[] = {name, defaults, input, NULL};
    pid_t process;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; ++i)
        posix_spawn_file_actions_adddup2(&actions, channel->descriptors[i], i);
    int failed = posix_spawn(&process, tool, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return accp_fail(error, ACCP_STATUS_IO, tool, -1, "does not start: %s", strerror(failed));
    return wait_for(process, tool, status, error);
}

/* All that was written to a channel, with a NUL behind it; owned by the caller. */
static enum accp_status read_all(int descriptor, char **text, struct accp_error *error)
{
    struct stat facts;
    *text = NULL;
    if (fstat(descriptor, &facts) != 0 || facts.st_size > ANSWER_LIMIT_BYTES)
        return accp_fail(error, ACCP_STATUS_IO, "gnuplot", -1, "wrote more than can be read");
    size_t size = (size_t)facts.st_size;
    *text = calloc(1, size + 1);
    if (!*text) return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for plots");
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(descriptor, *text + at, size - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            free(*text);
            *text = NULL;
            return accp_fail(error, ACCP_STATUS_IO, "gnuplot", -1, "its answer cannot be read");
        }
        at += (size_t)got;
    }
    return ACCP_STATUS_OK;
}

static enum accp_status write_all(int descriptor, const char *text, size_t size,
                                  struct accp_error *error)
{
    for (size_t at = 0; at < size;) {
        ssize_t put = write(descriptor, text + at, size - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0)
            return accp_fail(error, ACCP_STATUS_IO, "gnuplot", -1, "its script cannot be written");
        at += (size_t)put;
    }
    return lseek(descriptor, 0, SEEK_SET) == 0
               ? ACCP_STATUS_OK
               : accp_fail(error, ACCP_STATUS_IO, "gnuplot", -1, "its script cannot be read");
}

/* Runs the script; *answer is what it wrote, owned by the caller. */
static enum accp_status run_script(const char *tool, const struct accp_plots *plots,
                                   const struct channel *channel, char **answer,
                                   struct accp_error *error)
{
    char *complaint;
    int status = -1;
    for (int i = 0; i < 3; ++i)
        if (channel->descriptors[i] < 0)
            return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for plots");
    ACCP_TRY(write_all(channel->descriptors[0], plots->script_text, plots->script_bytes, error));
    ACCP_TRY(start_and_wait(tool, channel, &status, error));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return read_all(channel->descriptors[1], answer, error);
    ACCP_TRY(read_all(channel->descriptors[2], &complaint, error));
    const char *said = complaint + strspn(complaint, "\n ");
    accp_fail(error, ACCP_STATUS_IO, tool, -1, "did not draw the figures: %.200s",
              said[0] ? said : "it ended without a word");
    error->text[strcspn(error->text, "\n")] = 0;
    free(complaint);
    return ACCP_STATUS_IO;
}

static enum accp_status draw(const struct accp_plots *plots, char **answer,
                             struct accp_error *error)
{
    char tool[PATH_MAX];
    struct channel channel;
    struct accp_error unheard;
    ACCP_TRY(accp_plot_tool(tool, error));
    for (int i = 0; i < 3; ++i)
        channel.descriptors[i] = memfd_create("accprobe", MFD_CLOEXEC);
    enum accp_status status = run_script(tool, plots, &channel, answer, error ? error : &unheard);
    for (int i = 0; i < 3; ++i)
        if (channel.descriptors[i] >= 0) close(channel.descriptors[i]);
    return status;
}

/* gnuplot's answer, taken line by line; the heads of the plots and the notes of their marks, each with a NUL behind it. */
enum { DEPTH = 16 };
struct cursor {
    char *answer;
    const char *head, *note;
    bool has_symbols; /* the page has the shapes of marks already */
    size_t drawn, marks;
    bool kept[DEPTH]; /* of the groups that are open: whether the page has them */
    int depth;
};

/* The next line, without its end and the blanks before it; NULL behind the last. */
static char *next_line(struct cursor *cursor)
{
    char *line = cursor->answer;
    if (!*line) return NULL;
    char *end = line + strcspn(line, "\n");
    cursor->answer = end + (*end == '\n');
    *end = 0;
    return line + strspn(line, "\t ");
}

/* Takes out of a line what a page has no use for: fonts and widths, which its style sheet says, and paths of no length;
 * and all but one of several blanks. */
static char *shortened(char *line)
{
    static const char *const useless[][2] = {{"<path stroke='black'", "/>"},
                                             {" stroke=\"none\" ", ""},
                                             {" font-family=", " "},
                                             {" font-size=", " "},
                                             {"<tspan", ">"},
                                             {"</tspan>", ""},
                                             {" class=\"gridline\"", ""},
                                             {" shape-rendering='crispEdges'", ""}};
    for (size_t i = 0; i < sizeof useless / sizeof *useless; ++i)
        for (char *at; (at = strstr(line, useless[i][0]));) {
            char *end = strstr(at + strlen(useless[i][0]), useless[i][1]);
            if (!end) break;
            end += strlen(useless[i][1]);
            if (useless[i][0][0] == ' ') *at++ = ' '; /* attributes stay apart */
            memmove(at, end, strlen(end) + 1);
        }
    char *to = line;
    for (const char *from = line; *from; ++from)
        if (*from != ' ' || from[1] != ' ') *to++ = *from;
    *to = 0;
    return line + strspn(line, "\t ");
}

/* A mark with its note. */
static void put_mark(struct cursor *cursor, const char *mark, FILE *stream)
{
    const char *end = strstr(mark, "/>");
    ++cursor->marks;
    if (*cursor->note && end)
        fprintf(stream, "%.*s><title>%s</title></use>", (int)(end - mark), mark, cursor->note);
    else
        fputs(mark, stream);
    cursor->note += strlen(cursor->note) + 1;
}

/* Groups that only say what the style sheet says are left out: those without a place or a number of their own. */
static bool is_kept(const char *group)
{
    return strncmp(group, "<g transform=", 13) == 0;
}

/* A line of a plot, piece by piece: up to the next group that begins or ends. */
static void put_line(struct cursor *cursor, char *line, FILE *stream)
{
    for (char *at = line, *next; *at; at = next) {
        bool begins = strncmp(at, "<g ", 3) == 0, ends = strncmp(at, "</g>", 4) == 0;
        next = begins ? at + strcspn(at, ">") : ends ? at + 3 : at + 1;
        if (!begins && !ends) {
            while (*next && strncmp(next, "<g ", 3) != 0 && strncmp(next, "</g>", 4) != 0)
                ++next;
        } else {
            next += *next == '>';
        }
        if (begins && cursor->depth < DEPTH) cursor->kept[cursor->depth++] = is_kept(at);
        bool written =
            begins ? is_kept(at) : !ends || (cursor->depth > 0 && cursor->kept[--cursor->depth]);
        if (!written) continue;
        const char after = *next;
        *next = 0;
        if (strncmp(at, "<use ", 5) == 0)
            put_mark(cursor, at, stream);
        else if (strncmp(at, "<title>", 7) != 0)
            fputs(at, stream);
        *next = after;
    }
    if (line[0] && line[strlen(line) - 1] != '>') fputc(' ', stream); /* a list goes on */
}

/* The shapes of marks, of which a page needs two, and once. */
static void put_symbols(struct cursor *cursor, FILE *stream)
{
    char *line;
    bool wanted = !cursor->has_symbols;
    if (wanted) fputs("<defs>", stream);
    while ((line = next_line(cursor)) && strcmp(line, "</defs>") != 0)
        if (wanted && strstr(line, "gpPt5'")) fputs(line, stream);
    if (wanted) fputs("</defs>\n", stream);
    cursor->has_symbols = true;
}

/* The next plot of the answer, without what makes it a file of its own. */
static void put_plot(struct cursor *cursor, FILE *stream)
{
    char *line;
    while ((line = next_line(cursor)) && strcmp(line, "<g id=\"gnuplot_canvas\">") != 0) {
    }
    if (!line) return;
    fputs(cursor->head, stream);
    cursor->depth = 0;
    cursor->head += strlen(cursor->head) + 1;
    while ((line = next_line(cursor)) && strcmp(line, "</svg>") != 0) {
        if (strcmp(line, "<defs>") == 0)
            put_symbols(cursor, stream);
        else if (strncmp(line, "<rect x=\"0\" y=\"0\"", 17) != 0)
            put_line(cursor, shortened(line), stream);
    }
    fputs("</svg>\n", stream);
    cursor->drawn += line != NULL;
}

enum accp_status accp_plots_draw(struct accp_plots *plots, const char *page, FILE *stream,
                                 struct accp_error *error)
{
    char *answer = NULL;
    if (plots->count > 0) {
        fflush(plots->script);
        fflush(plots->notes);
        fflush(plots->heads);
        ACCP_TRY(draw(plots, &answer, error));
    }
    struct cursor cursor = {.answer = answer, .head = plots->heads_text, .note = plots->notes_text};
    for (const char *from = page, *to;; from = to + 1) {
        to = strchr(from, ACCP_PLOT_PLACE);
        fwrite(from, 1, to ? (size_t)(to - from) : strlen(from), stream);
        if (!to) break;
        put_plot(&cursor, stream);
    }
    free(answer);
    if (cursor.drawn != plots->count || cursor.marks != plots->mark_count)
        return accp_fail(error, ACCP_STATUS_IO, "gnuplot", -1,
                         "drew %zu of %zu figures with %zu of %zu marks", cursor.drawn,
                         plots->count, cursor.marks, plots->mark_count);
    return ACCP_STATUS_OK;
}
