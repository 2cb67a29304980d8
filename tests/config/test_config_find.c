/* Names of boards, nics, endpoints and hosts to files. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/config/test_config_fixture.h"

void suite_config_find(void);

static void write_text(struct fixture *fixture, const char *name, const char *text)
{
    fixture_write(fixture, name, text, strlen(text));
}

static void names(void)
{
    struct fixture fixture;
    struct config_error err;
    char path[256], want[512];

    fixture_create(&fixture);
    write_text(&fixture, "boards/b.board", "");
    write_text(&fixture, "boards/a.board", "");
    write_text(&fixture, "boards/readme.txt", "");
    write_text(&fixture, "hosts/h.host", "");
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_HOST, "h", path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, fixture.path);
    write_text(&fixture, "endpoints/e.endpoint", "");
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_ENDPOINT, "e", path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, fixture.path);
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_ENDPOINT, "ee", path, sizeof(path), &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, "unknown endpoint 'ee', known are e");
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_BOARD, "./my.board", path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, "./my.board");
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_BOARD, "c", path, sizeof(path), &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, "unknown board 'c', known are a, b");
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_NIC, "n", path, sizeof(path), &err), -1);
    snprintf(want, sizeof(want), "unknown nic 'n', no nic files in %s/nics", fixture.folder);
    CU_ASSERT_STRING_EQUAL(err.text, want);
    CU_ASSERT_EQUAL(config_find(fixture.folder, CONFIG_HOST, "h", path, 8, &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, "h: path too long");
    fixture_remove(&fixture);
}

/* What a board names lies beside the board, whatever folder the program stands in. */
static void beside(void)
{
    struct fixture fixture;
    struct config_error err;
    char path[256], board[160], want[512];

    fixture_create(&fixture);
    write_text(&fixture, "nics/n.nic", "");
    snprintf(want, sizeof(want), "%s", fixture.path);
    write_text(&fixture, "boards/my.nic", "");
    snprintf(board, sizeof(board), "%s/boards/b.board", fixture.folder);
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "my.nic", board, path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, fixture.path);
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "n", board, path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, want);
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "../x/my.nic", board, path, sizeof(path), &err), 0);
    snprintf(want, sizeof(want), "%s/boards/../x/my.nic", fixture.folder);
    CU_ASSERT_STRING_EQUAL(path, want);
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "/x/my.nic", board, path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, "/x/my.nic");
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "./my.nic", "b.board", path, sizeof(path), &err), 0);
    CU_ASSERT_STRING_EQUAL(path, "./my.nic");
    CU_ASSERT_EQUAL(config_find_beside(fixture.folder, CONFIG_NIC, "no.nic", board, path, sizeof(path), &err), -1);
    CU_ASSERT_STRING_EQUAL(err.text, "unknown nic 'no.nic', known are n");
    fixture_remove(&fixture);
}

static void boards(void)
{
    struct fixture fixture;
    char name[64], line[128];

    fixture_create(&fixture);
    write_text(&fixture, "boards/b.board", "board = B\nabout = \"the second\"\n[link]\nabout = no\n");
    write_text(&fixture, "boards/a.board", "# none\n[link]\nabout = no\n");
    CU_ASSERT_EQUAL(config_board_at(fixture.folder, 0, name, sizeof(name), line, sizeof(line)), 0);
    CU_ASSERT_STRING_EQUAL(name, "a");
    CU_ASSERT_STRING_EQUAL(line, "");
    CU_ASSERT_EQUAL(config_board_at(fixture.folder, 1, name, sizeof(name), line, sizeof(line)), 0);
    CU_ASSERT_STRING_EQUAL(name, "b");
    CU_ASSERT_STRING_EQUAL(line, "the second");
    CU_ASSERT_EQUAL(config_board_at(fixture.folder, 2, name, sizeof(name), line, sizeof(line)), -1);
    CU_ASSERT_EQUAL(config_board_at("/nowhere", 0, name, sizeof(name), line, sizeof(line)), -1);
    fixture_remove(&fixture);
}

void suite_config_find(void)
{
    CU_pSuite suite = CU_add_suite("config/find", NULL, NULL);

    CU_add_test(suite, "names and paths", names);
    CU_add_test(suite, "beside the board", beside);
    CU_add_test(suite, "the list of boards", boards);
}
