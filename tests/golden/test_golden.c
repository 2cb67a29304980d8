/* Did any cycle move? Each board's timeline equals the one kept; `make golden` renews it. */
#include "tests/golden/timeline.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 65536

static void timelines(void)
{
    static char kept[TEXT_BYTES], now[TEXT_BYTES];
    for (int i = 0; golden_boards[i]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/tests/golden/%s.txt", RNICSIM_SOURCE_DIR, golden_boards[i]);
        FILE *file = fopen(path, "r");
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        kept[fread(kept, 1, TEXT_BYTES - 1, file)] = 0;
        fclose(file);
        CU_ASSERT_EQUAL_FATAL(golden_timeline(golden_boards[i], RNICSIM_SOURCE_DIR "/model/config", now, TEXT_BYTES),
                              0);
        if (strcmp(kept, now) != 0)
            printf("\n    %s moved: `make golden` says by how much", golden_boards[i]);
        CU_ASSERT_STRING_EQUAL(kept, now);
        int lines = 0;
        for (const char *at = now; *at; at++)
            lines += *at == '\n';
        CU_ASSERT(lines <= 200);
    }
}

void suite_golden(void);
void suite_golden(void)
{
    CU_pSuite suite = CU_add_suite("golden: did any cycle move?", NULL, NULL);
    CU_add_test(suite, "timelines of the boards", timelines);
}
