/* A switch's shared buffer: thresholds, headroom, marks. */
#include "mac/fabric/buffer.h"
#include "kernel/rnd.h"

#include <CUnit/Basic.h>
#include <stdint.h>

#define ONE_PPB INT64_C(1000000000)

static struct buffer buffer_of(int64_t shared, int64_t alpha_ppb)
{
    return (struct buffer){.shared_bytes = shared, .alpha_ppb = alpha_ppb, .headroom_bytes = 5000, .xon_bytes = 2000};
}

/* A queue alone ends at alpha / (1 + alpha) of the buffer: Choudhury and Hahne, (1) with one active queue. */
static void a_queue_alone(void)
{
    static const int64_t alpha[] = {ONE_PPB / 2, ONE_PPB, 8 * ONE_PPB};
    static const int64_t limit[] = {1000000 / 3, 1000000 / 2, 8000000 / 9};
    for (int i = 0; i < 3; i++) {
        struct buffer buffer = buffer_of(1000000, alpha[i]);
        int64_t queue = 0;
        while (buffer_admit_lossy(&buffer, queue, 100) == BUFFER_SHARED)
            queue += 100;
        CU_ASSERT(queue <= limit[i] + 100 && queue > limit[i] - 300);
        CU_ASSERT_EQUAL(buffer.used_bytes, queue);
    }
}

/* n queues together: n * alpha / (1 + n * alpha), and each as much. */
static void queues_share(void)
{
    struct buffer buffer = buffer_of(1000000, ONE_PPB);
    int64_t queue[4] = {0};
    for (int round = 0, any = 1; any; round++) {
        any = 0;
        for (int i = 0; i < 4; i++)
            if (buffer_admit_lossy(&buffer, queue[i], 100) == BUFFER_SHARED) {
                queue[i] += 100;
                any = 1;
            }
    }
    for (int i = 0; i < 4; i++)
        CU_ASSERT(queue[i] <= 200000 && queue[i] >= 199700);
}

static void headroom_is_the_ports_own(void)
{
    struct buffer buffer = buffer_of(10000, ONE_PPB);
    struct buffer_port port = {0}, other = {0};
    int pause, pauses = 0, resume;
    while (port.headroom_bytes == 0) {
        CU_ASSERT_NOT_EQUAL(buffer_admit_lossless(&buffer, &port, 1000, &pause), BUFFER_NOWHERE);
        pauses += pause;
    }
    CU_ASSERT(pauses == 1 && port.paused && port.shared_bytes == 5000);
    for (int i = 1; i < 5; i++) { /* the peer goes on for a while */
        CU_ASSERT_EQUAL(buffer_admit_lossless(&buffer, &port, 1000, &pause), BUFFER_HEADROOM);
        CU_ASSERT_EQUAL(pause, 0);
    }
    CU_ASSERT_EQUAL(buffer_admit_lossless(&buffer, &port, 1000, &pause), BUFFER_NOWHERE);
    CU_ASSERT_EQUAL(buffer_admit_lossless(&buffer, &other, 1000, &pause), BUFFER_SHARED);
    /* it may go on when its headroom is free and it is well below the threshold */
    for (int i = 0; i < 5; i++) {
        buffer_leave(&buffer, &port, BUFFER_HEADROOM, 1000, &resume);
        CU_ASSERT_EQUAL(resume, 0);
    }
    buffer_leave(&buffer, &port, BUFFER_SHARED, 1000, &resume); /* 4,000 of it, 5,000 free, less 2,000 */
    CU_ASSERT_EQUAL(resume, 0);
    buffer_leave(&buffer, &port, BUFFER_SHARED, 1000, &resume);
    CU_ASSERT_EQUAL(resume, 1);
    CU_ASSERT_EQUAL(port.paused, 0);
}

static void marks_rise_from_kmin_to_kmax(void)
{
    CU_ASSERT_EQUAL(buffer_marks(400, 400, 1600, ONE_PPB / 5, 0), 0);
    CU_ASSERT_EQUAL(buffer_marks(1600, 400, 1600, 0, UINT64_MAX), 1);
    for (int64_t queue = 500; queue < 1600; queue += 300) {
        int marked = 0;
        for (uint64_t i = 0; i < 100000; i++)
            marked += buffer_marks(queue, 400, 1600, ONE_PPB / 5, rnd_u64(3, 0, i, 0));
        double share = 0.2 * (double)(queue - 400) / 1200;
        CU_ASSERT(marked > 100000 * share - 600 && marked < 100000 * share + 600);
    }
}

void suite_mac_buffer(void);
void suite_mac_buffer(void)
{
    CU_pSuite suite = CU_add_suite("mac: a switch's buffer", NULL, NULL);
    CU_add_test(suite, "a queue alone", a_queue_alone);
    CU_add_test(suite, "queues share", queues_share);
    CU_add_test(suite, "headroom is the port's own", headroom_is_the_ports_own);
    CU_add_test(suite, "marks rise from kmin to kmax", marks_rise_from_kmin_to_kmax);
}
