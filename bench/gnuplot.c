#include "bench/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/cli.h"
#include "traces/cleanup.h"

#define PATH_BYTES 4096
#define COMMON "common" /* the template that all begin with */

static const char *const ending[] = {"svg", "png", "pdf"}; /* of each bit */
#define FORMATS (sizeof ending / sizeof *ending)

int gnuplot_formats(const char *text, unsigned *out)
{
    char copy[64], *rest = NULL;
    *out = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        size_t i = 0;
        while (i < FORMATS && strcmp(word, ending[i]) != 0)
            i++;
        if (i == FORMATS)
            return cli_fail("--charts: \"%.40s\" is no format; allowed are svg, png and pdf, separated by commas",
                            word);
        *out |= 1u << i;
    }
    return *out != 0 ? 0 : cli_fail("--charts: no format is named; allowed are svg, png and pdf");
}

static int copy(const char *name, FILE *out)
{
    char folder[PATH_BYTES], path[PATH_BYTES + 64], bytes[4096];
    size_t count;
    if (rnicsim_data_folder("plots", folder, sizeof folder) != RNICSIM_OK)
        return -1;
    snprintf(path, sizeof path, "%s/%s.gp", folder, name);
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return -1;
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fwrite(bytes, 1, count, out);
    fclose(in);
    return 0;
}

int gnuplot_template(const char *name, FILE *out)
{
    if (copy(COMMON, out) == 0 && copy(name, out) == 0)
        return 0;
    cli_warn("the template %s.gp is missing; the chart stays undrawn", name);
    return -1;
}

void gnuplot_string(FILE *out, const char *variable, const char *text)
{
    fprintf(out, "%s = \"", variable);
    for (; *text != 0; text++)
        fputc(*text == '"' || *text == '\\' || *text == '`' || (unsigned char)*text < ' ' ? '\'' : *text, out);
    fputs("\"\n", out);
}

/* Until it is reaped, its number is its own: only so long may a signal kill it. */
static void wait_for(pid_t child, int *status)
{
    siginfo_t info;
    cleanup_child(child);
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    cleanup_child(0);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
}

/* gnuplot's exit status, or -1 with errno: it could not be started. */
static int run_gnuplot(const char *folder, const char *script, const char *format)
{
    char program[] = "gnuplot", option[] = "-e", setting[32], argument[96];
    char *argv[] = {program, option, setting, argument, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    snprintf(setting, sizeof setting, "fmt='%s'", format);
    snprintf(argument, sizeof argument, "%s", script);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    wait_for(child, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* 0, or -1: there is no gnuplot. */
static int draw(struct results *results, const char *name, const char *format)
{
    char script[96], picture[96], path[PATH_BYTES];
    snprintf(script, sizeof script, "%.80s.gp", name);
    snprintf(picture, sizeof picture, "%.80s.%s", name, format);
    snprintf(path, sizeof path, "%s/%s", results_folder(results), picture);
    results_add(results, picture);
    int result = run_gnuplot(results_folder(results), script, format);
    if (result == 0 && access(path, F_OK) == 0)
        return 0;
    results_drop(results, picture);
    if (result < 0) {
        cli_warn("gnuplot cannot be started (%s): the charts stay undrawn, their .dat and .gp files are there",
                 strerror(errno));
        return -1;
    }
    cli_warn("gnuplot could not draw %s", script);
    return 0;
}

int gnuplot_draw(struct results *results, const char *name, unsigned formats)
{
    for (size_t i = 0; i < FORMATS; i++)
        if ((formats & 1u << i) && draw(results, name, ending[i]) != 0)
            return -1;
    return 0;
}
