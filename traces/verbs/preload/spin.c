/* A program that waits for its memory to change makes no call. A watcher finds that it is silent, and takes from it the right to read its
 * registered pages: the look that then fails, at one place of the code again and again, is the wait. From then on each look of that place at
 * that page waits for a peer's next write, in virtual time. Meanwhile virtual time stands still, so that the watcher's own clock changes nothing. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WATCH_NS 2000000
#define LOOKS_KNOWN 64
#define SAME_LOOKS 2 /* without a call between them, after the first: a wait */
#define ARMED_MOST 65536

static struct look {
    uint64_t code, page, address;
} known[LOOKS_KNOWN], last;
static uint32_t knowns, same;
static uint64_t last_entries, seen;
static volatile int has_armed;   /* some page cannot be read */
static volatile int disarmed_any; /* of those that are waited on */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t armed[ARMED_MOST];
static volatile uint32_t armeds;
static clockid_t watched;

static void protect(uint64_t page, int protection)
{
    mprotect((void *)(uintptr_t)page, VERBS_PAGE_BYTES, protection);
}

static void arm_page(uint64_t page)
{
    if (armeds == ARMED_MOST)
        return;
    armed[armeds++] = page;
    has_armed = 1;
    protect(page, PROT_NONE);
}

static int is_armed(uint64_t page)
{
    for (uint32_t i = 0; i < armeds; i++)
        if (armed[i] == page)
            return 1;
    return 0;
}

static void disarm_page(uint64_t page)
{
    for (uint32_t i = 0; i < armeds; i++)
        if (armed[i] == page)
            armed[i--] = armed[--armeds];
    protect(page, PROT_READ | PROT_WRITE);
    disarmed_any = 1;
    has_armed = armeds > 0;
}

void shim_disarm(void)
{
    if (!has_armed)
        return;
    pthread_mutex_lock(&lock);
    while (armeds > 0)
        disarm_page(armed[armeds - 1]);
    pthread_mutex_unlock(&lock);
}

void shim_arm_again(void)
{
    if (!disarmed_any || knowns == 0)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < knowns; i++)
        if (!is_armed(known[i].page) && shim_is_shared(known[i].page))
            arm_page(known[i].page);
    disarmed_any = 0;
    pthread_mutex_unlock(&lock);
}

void shim_forget_page(uint64_t page)
{
    pthread_mutex_lock(&lock);
    disarm_page(page);
    for (uint32_t i = 0; i < knowns; i++)
        if (known[i].page == page)
            known[i--] = known[--knowns];
    pthread_mutex_unlock(&lock);
}

/* ---- the watcher ---- */


static void arm_if_not(uint64_t page)
{
    if (!is_armed(page))
        arm_page(page);
}

/* What the program's thread has worked: one that sleeps, or that has no core, is not silent. */
static int64_t worked_ns(clockid_t clock)
{
    struct timespec worked = {0};
    syscall(SYS_clock_gettime, clock, &worked);
    return worked.tv_sec * NS_PER_S + worked.tv_nsec;
}

static void *watch(void *unused)
{
    const struct timespec tick = {0, WATCH_NS};
    uint64_t before = 0;
    int64_t since_ns = 0;
    (void)unused;
    for (;;) {
        syscall(SYS_nanosleep, &tick, NULL);
        pthread_mutex_lock(&lock);
        if (shim.entries != before) {
            before = shim.entries;
            since_ns = worked_ns(watched);
        } else if (!shim.inside && worked_ns(watched) - since_ns > WATCH_NS / 2) {
            shim_each_page(arm_if_not);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int shim_watch(void)
{
    pthread_t thread;
    sigset_t all, mask;
    sigfillset(&all);
    if (pthread_getcpuclockid(pthread_self(), &watched) != 0)
        return ENOSYS;
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    int result = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (result == 0)
        pthread_detach(thread);
    return result;
}

/* ---- the look ---- */

static int is_known(const struct look *look)
{
    for (uint32_t i = 0; i < knowns; i++)
        if (known[i].code == look->code && known[i].page == look->page)
            return 1;
    return 0;
}

static void learn(const struct look *look)
{
    if (knowns < LOOKS_KNOWN && !is_known(look))
        known[knowns++] = *look;
}

/* A look before the loop's own at the same byte is part of the wait: a loop whose first turn stands apart has one. */
static void learn_first_turn(const struct look *look)
{
    if (last.address == look->address && last.code != look->code && last_entries == shim.entries)
        learn(&last);
}

/* Whether this look is one of a wait; the third of one kind in a row makes it so. */
static int is_wait(const struct look *look)
{
    if (is_known(look)) {
        learn_first_turn(look);
        return 1;
    }
    same = last.code == look->code && last.page == look->page && last_entries == shim.entries ? same + 1 : 0;
    last = *look;
    last_entries = shim.entries;
    if (same < SAME_LOOKS)
        return 0;
    learn(look);
    return 1;
}

static void wait_for_write(void)
{
    struct verbs_request request = {.kind = VERBS_WAIT_MEMORY, .until_ps = SHIM_NEVER, .seen = seen};
    shim.inside++;
    shim_ask(&request, sizeof request, NULL);
    seen = shim.writes;
    shim.inside--;
    shim.entries++;
}

int shim_is_page_fault(const siginfo_t *info, ucontext_t *context)
{
    uint64_t page = (uint64_t)(uintptr_t)info->si_addr / VERBS_PAGE_BYTES * VERBS_PAGE_BYTES;
    int is_write = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    struct look look = {(uint64_t)context->uc_mcontext.gregs[REG_RIP], page, (uint64_t)(uintptr_t)info->si_addr};
    if (info->si_code != SEGV_ACCERR || !shim_is_shared(page))
        return 0;
    if (!is_write && !shim.inside && is_wait(&look))
        wait_for_write();
    pthread_mutex_lock(&lock);
    disarm_page(page);
    pthread_mutex_unlock(&lock);
    return 1;
}
