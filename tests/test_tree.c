/* The tree itself: who includes whom, the same bytes from every compiler, and what is installed. The scripts say what is wrong. */
#include <CUnit/Basic.h>
#include <stdlib.h>

static void includes(void)
{
    CU_ASSERT_EQUAL(system(RNICSIM_SOURCE_DIR "/tests/includes.sh"), 0);
}

static void same_bytes_from_every_compiler(void)
{
    CU_ASSERT_EQUAL(system(RNICSIM_SOURCE_DIR "/tests/determinism.sh " RNICSIM_BUILD_DIR "/determinism"), 0);
}

static void speed_has_not_regressed(void)
{
    CU_ASSERT_EQUAL(system(RNICSIM_SOURCE_DIR "/bench/speed/limit.sh " RNICSIM_BUILD_DIR "/speed"), 0);
}

static void installed(void)
{
    CU_ASSERT_EQUAL(system(RNICSIM_SOURCE_DIR "/tests/install.sh " RNICSIM_BUILD_DIR "/install"), 0);
}

void suite_tree(void);
void suite_tree(void)
{
    CU_pSuite suite = CU_add_suite("tree: who includes whom", NULL, NULL);
    CU_add_test(suite, "no room reaches into another's cupboards", includes);
}

void suite_tree_slow(void);
void suite_tree_slow(void)
{
    CU_pSuite suite = CU_add_suite("tree: compilers, installation and speed", NULL, NULL);
    CU_add_test(suite, "gcc -O0, gcc -O3 and clang give the same bytes", same_bytes_from_every_compiler);
    CU_add_test(suite, "what is installed works, from anywhere", installed);
    CU_add_test(suite, "instructions a packet have not grown", speed_has_not_regressed);
}
