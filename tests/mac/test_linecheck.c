/* The clock that a datapath needs, against figures worked out by hand. */
#include "mac/linecheck.h"

#include <CUnit/Basic.h>

static void known_cases(void)
{
    static const struct {
        struct linecheck given;
        uint32_t worst;
        int64_t kilohertz; /* rounded up */
    } row[] = {
        {{512, 250000000, 100000000000, 1}, 65, 294118},   /* 2 beats in 85 bytes */
        {{512, 250000000, 100000000000, 0}, 69, 280899},   /* 65 bytes on the bus: 2 beats in 89 */
        {{64, 156250000, 10000000000, 0}, 9213, 155963},   /* 1152 beats in 9233 bytes */
        {{128, 250000000, 25000000000, 0}, 9205, 195122},  /* 576 beats in 9225 bytes */
        {{1024, 390625000, 400000000000, 1}, 129, 671141}, /* 2 beats in 149 bytes */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct linecheck_result result = linecheck(&row[i].given);
        CU_ASSERT_EQUAL((result.clock_least_hz + 999) / 1000, row[i].kilohertz);
        CU_ASSERT_EQUAL(result.worst_frame_bytes, row[i].worst);
    }
}

/* At the least clock nothing is missing; one hertz below, something is. */
static void at_the_hertz(void)
{
    struct linecheck given = {512, 1, 100000000000, 0};
    given.clock_hz = linecheck(&given).clock_least_hz;
    CU_ASSERT_EQUAL(linecheck(&given).bubble_cycles, 0);
    given.clock_hz--;
    CU_ASSERT(linecheck(&given).bubble_cycles < 0);
    given.clock_hz = 600000000; /* 64 B: 4.03 cycles for 1 beat; 69 B: 4.27 for 2 */
    CU_ASSERT_EQUAL(linecheck(&given).bubble_cycles, 2);
}

void suite_mac_linecheck(void);
void suite_mac_linecheck(void)
{
    CU_pSuite suite = CU_add_suite("mac: linecheck", NULL, NULL);
    CU_add_test(suite, "known cases", known_cases);
    CU_add_test(suite, "at the hertz", at_the_hertz);
}
