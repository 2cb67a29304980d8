#include "tests/config/test_config_fixture.h"

#include <CUnit/CUnit.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARAM(...) PARAM_ROW(struct link_params, __VA_ARGS__)
static const struct param_desc link_rows[] = {
#include "tests/config/test_link.def"
};
#undef PARAM
const struct param_table test_link_table = PARAM_TABLE("link", struct link_params, link_rows);

#define PARAM(...) PARAM_ROW(struct demo_params, __VA_ARGS__)
static const struct param_desc demo_rows[] = {
#include "tests/config/test_demo.def"
};
#undef PARAM
const struct param_table test_demo_table = PARAM_TABLE("demo", struct demo_params, demo_rows);

const struct param_desc *fixture_desc(const char *key)
{
    for (size_t i = 0; i < test_link_table.count; i++)
        if (strcmp(link_rows[i].key, key) == 0)
            return &link_rows[i];
    for (size_t i = 0; i < test_demo_table.count; i++)
        if (strcmp(demo_rows[i].key, key) == 0)
            return &demo_rows[i];
    CU_FAIL_FATAL("no such key");
    return NULL;
}

struct config *fixture_config(void)
{
    const struct param_table *const tables[] = {&test_link_table, &test_demo_table};
    struct config *config = config_create(tables, 2, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(config);
    return config;
}

void fixture_create(struct fixture *fixture)
{
    strcpy(fixture->folder, "/tmp/rnicsim_config_XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(fixture->folder));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void fixture_remove(struct fixture *fixture)
{
    CU_ASSERT_EQUAL(nftw(fixture->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

void fixture_write(struct fixture *fixture, const char *name, const char *text, size_t bytes)
{
    const char *slash = strchr(name, '/');

    if (slash != NULL) {
        snprintf(fixture->path, sizeof(fixture->path), "%s/%.*s", fixture->folder, (int)(slash - name), name);
        mkdir(fixture->path, 0700);
    }
    snprintf(fixture->path, sizeof(fixture->path), "%s/%s", fixture->folder, name);
    FILE *file = fopen(fixture->path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(text, 1, bytes, file), bytes);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

struct config *fixture_load(enum config_kind kind, const char *text, struct config_error *err)
{
    static const char *const names[] = {"x.nic", "x.mac", "x.endpoint", "x.board", "x.host"};
    struct config *config = fixture_config();
    struct fixture fixture;

    err->text[0] = '\0';
    fixture_create(&fixture);
    fixture_write(&fixture, names[kind], text, strlen(text));
    if (config_load(config, fixture.path, kind, err) != 0) {
        /* Only what follows the folder's random name can be compared. */
        CU_ASSERT_EQUAL(strncmp(err->text, fixture.path, strlen(fixture.path)), 0);
        memmove(err->text, err->text + strlen(fixture.folder) + 1, strlen(err->text) - strlen(fixture.folder));
        config_destroy(config);
        config = NULL;
    }
    fixture_remove(&fixture);
    return config;
}

void fixture_refused(enum config_kind kind, const char *text, const char *error)
{
    struct config_error err;
    struct config *config = fixture_load(kind, text, &err);

    CU_ASSERT_PTR_NULL(config);
    CU_ASSERT_STRING_EQUAL(err.text, error);
    if (strcmp(err.text, error) != 0)
        fprintf(stderr, "got  \"%s\"\nwant \"%s\"\n", err.text, error);
    config_destroy(config);
}

void fixture_set_refused(struct config *config, const char *text, const char *error)
{
    struct config_error err;

    CU_ASSERT_EQUAL(config_set(config, text, &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, error);
    if (strcmp(err.text, error) != 0)
        fprintf(stderr, "got \"%s\"\n", err.text);
}

int fixture_info(const struct config *config, const char *key, struct config_param_info *out)
{
    for (size_t i = 0; i < config_param_count(config); i++)
        if (config_param(config, i, out) == 0 && strcmp(out->key, key) == 0)
            return 0;
    return -1;
}
