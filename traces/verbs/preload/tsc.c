/* The time stamp counter and memory that cannot be read: both are faults of the program, answered here. */
#include "traces/verbs/preload/shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#define TSC_AT_START (UINT64_C(1) << 40) /* a program may take a stamp of 0 for none */
#define VDSO_BYTES 16384
#define PS_PER_S INT64_C(1000000000000)
#define LOOP_LEAST_PS INT64_C(10000)
#define LOOP_SHARE 64

/* The C library's own looks at the machine's clock stay what they are. */
static int is_of_vdso(uint64_t code)
{
    uint64_t begin = getauxval(AT_SYSINFO_EHDR);
    return begin != 0 && code >= begin && code < begin + VDSO_BYTES;
}

static uint64_t machine_tsc(void)
{
    uint32_t low, high;
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    return (uint64_t)high << 32 | low;
}

static uint64_t virtual_tsc(uint64_t code)
{
    shim_enter();
    int64_t at_ps = shim_look((const void *)(uintptr_t)code, LOOP_LEAST_PS, LOOP_SHARE);
    uint64_t tsc = TSC_AT_START + (uint64_t)((__int128)at_ps * shim.tsc_hz / PS_PER_S);
    shim_leave();
    shim_alarm_due();
    return tsc;
}

/* 1: the instruction was a look at the counter, and is done. */
static int is_tsc(ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    const uint8_t *code = (const uint8_t *)(uintptr_t)registers[REG_RIP];
    int is_rdtscp = code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9;
    if (!is_rdtscp && !(code[0] == 0x0f && code[1] == 0x31))
        return 0;
    uint64_t at = (uint64_t)registers[REG_RIP];
    registers[REG_RIP] += is_rdtscp ? 3 : 2; /* first: an alarm may leave by a jump */
    uint64_t tsc = is_of_vdso(at) || !shim_is_joined() ? machine_tsc() : virtual_tsc(at);
    registers[REG_RAX] = (greg_t)(tsc & UINT32_MAX);
    registers[REG_RDX] = (greg_t)(tsc >> 32);
    if (is_rdtscp)
        registers[REG_RCX] = 0;
    return 1;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    if (info->si_code == SI_KERNEL && is_tsc(context))
        return;
    if (shim_is_joined() && shim_is_page_fault(info, context))
        return;
    signal(number, SIG_DFL); /* a mistake of the program's own: it happens again, and ends it */
}

static void let_child_read(void)
{
    prctl(PR_SET_TSC, PR_TSC_ENABLE);
}

void shim_trap(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    static int is_first = 1;
    sigaction(SIGSEGV, &action, NULL);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    if (is_first)
        pthread_atfork(NULL, NULL, let_child_read);
    is_first = 0;
}

/* ---- programs that this one starts: they would inherit the trap, and die of it before they begin ---- */

static void trap_again(void)
{
    if (shim_is_joined())
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

SHIM_EXPORT int system(const char *command)
{
    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "system");
    let_child_read();
    int result = next(command);
    trap_again();
    return result;
}

SHIM_EXPORT FILE *popen(const char *command, const char *mode)
{
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "popen");
    let_child_read();
    FILE *result = next(command, mode);
    trap_again();
    return result;
}

SHIM_EXPORT int execve(const char *path, char *const argv[], char *const environment[])
{
    int (*next)(const char *, char *const[], char *const[]) =
        (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execve");
    let_child_read();
    int result = next(path, argv, environment);
    trap_again();
    return result;
}

SHIM_EXPORT int execvp(const char *path, char *const argv[])
{
    int (*next)(const char *, char *const[]) = (int (*)(const char *, char *const[]))dlsym(RTLD_NEXT, "execvp");
    let_child_read();
    int result = next(path, argv);
    trap_again();
    return result;
}
