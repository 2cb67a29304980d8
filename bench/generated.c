#include "bench/generated.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli.h"
#include "bench/trace_gen.h"
#include "traces/cleanup.h"

int generated_parse(const char *text, struct generated *out)
{
    const char *file = NULL;
    *out = (struct generated){.words.we_offs = 1};
    if (wordexp(text, &out->words, WRDE_NOCMD | WRDE_UNDEF | WRDE_DOOFFS) != 0)
        return cli_fail(
            "--gen: \"%.100s\" cannot be split into words: close quotes, and put quotes around & | ; < > ( )", text);
    char name[] = "gen";
    out->has_words = 1;
    out->words.we_wordv[0] = name; /* where a program's arguments have its name */
    int result = trace_gen_parse((int)out->words.we_wordc + 1, out->words.we_wordv, &out->generate, &file);
    out->words.we_wordv[0] = NULL;
    if (result != CLI_DONE)
        return result;
    return file == NULL ? CLI_DONE
                        : cli_fail("--gen: -o %.100s: no file is kept here; rnicsim trace gen makes one", file);
}

void generated_free(struct generated *generated)
{
    if (generated->has_words)
        wordfree(&generated->words);
    *generated = (struct generated){0};
}

int generated_make(const struct generated *generated, const char *rate, char *path, size_t path_bytes)
{
    const char *folder = getenv("TMPDIR");
    struct trace_generate generate = generated->generate;
    struct rnicsim_error error;
    if (rate != NULL)
        generate.rate = rate;
    snprintf(path, path_bytes, "%s/rnicsim-XXXXXX.bin", folder != NULL && folder[0] != 0 ? folder : "/tmp");
    int file = mkstemps(path, 4);
    if (file < 0)
        return cli_fail("%s: cannot be made: %s", path, strerror(errno));
    close(file);
    cleanup_add(path);
    if (trace_generate(&generate, path, &error) == 0)
        return CLI_DONE;
    generated_remove(path);
    return cli_fail("--gen: %s", error.text);
}

void generated_remove(const char *path)
{
    unlink(path);
    cleanup_forget(path);
}
