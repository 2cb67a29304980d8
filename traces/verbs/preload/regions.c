/* Registered memory: its pages are those of a file that the launcher maps too, so that both see each other's writes at once. */
#include "traces/verbs/preload/shim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define RUNS_MOST 4096

/* Pages shared, each run told to the launcher as one. */
static struct run {
    uint64_t begin, end;
    uint32_t regions; /* that hold it; 0: free */
} runs[RUNS_MOST];
static uint64_t file_bytes;

static struct job {
    void *address;
    size_t length;
    int64_t offset; /* in the file; -1: back to memory of its own */
    int failed;
} job;
static ucontext_t here, there;

int shim_is_shared(uint64_t address)
{
    for (int i = 0; i < RUNS_MOST; i++)
        if (runs[i].regions > 0 && address >= runs[i].begin && address < runs[i].end)
            return 1;
    return 0;
}

/* Runs on a stack of its own: the pages may be of the program's. */
static void replace(void)
{
    int back = job.offset < 0;
    off_t offset = back ? lseek(shim.memory_fd, 0, SEEK_END) : (off_t)job.offset;
    job.failed = pwrite(shim.memory_fd, job.address, job.length, offset) != (ssize_t)job.length;
    if (job.failed)
        return;
    void *at = mmap(job.address, job.length, PROT_READ | PROT_WRITE, MAP_FIXED | (back ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED),
                    back ? -1 : shim.memory_fd, back ? 0 : offset);
    job.failed = at == MAP_FAILED;
    if (back && !job.failed)
        job.failed = pread(shim.memory_fd, job.address, job.length, offset) != (ssize_t)job.length;
    if (back)
        job.failed |= ftruncate(shim.memory_fd, offset) != 0;
}

static int replace_pages(uint64_t address, size_t length, int64_t offset)
{
    static _Alignas(16) unsigned char stack[65536];
    job = (struct job){(void *)(uintptr_t)address, length, offset, 0};
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, replace, 0);
    swapcontext(&here, &there);
    return job.failed;
}

static int add_run(uint64_t begin, uint64_t end)
{
    struct verbs_request request = {.kind = VERBS_LEND,
                                    .until_ps = SHIM_NEVER,
                                    .region = {.address = begin, .length_bytes = end - begin, .offset = file_bytes}};
    for (int i = 0; i < RUNS_MOST; i++) {
        if (runs[i].regions > 0)
            continue;
        if (replace_pages(begin, end - begin, (int64_t)file_bytes))
            return EFAULT;
        file_bytes += end - begin;
        runs[i] = (struct run){begin, end, 1};
        return shim_ask(&request, sizeof request, NULL);
    }
    return ENOMEM;
}

/* The run that holds this address; else *end is cut where the next one begins. */
static struct run *run_at(uint64_t address, uint64_t *end)
{
    for (int i = 0; i < RUNS_MOST; i++) {
        if (runs[i].regions == 0)
            continue;
        if (address >= runs[i].begin && address < runs[i].end)
            return &runs[i];
        if (runs[i].begin > address && runs[i].begin < *end)
            *end = runs[i].begin;
    }
    return NULL;
}

int shim_share(uint64_t address, size_t length)
{
    uint64_t last = (address + length + VERBS_PAGE_BYTES - 1) / VERBS_PAGE_BYTES * VERBS_PAGE_BYTES;
    for (uint64_t at = address / VERBS_PAGE_BYTES * VERBS_PAGE_BYTES; at < last;) {
        uint64_t end = last;
        struct run *run = run_at(at, &end);
        int result = run == NULL ? add_run(at, end) : 0;
        if (result != 0)
            return result;
        if (run != NULL) {
            run->regions++;
            end = run->end;
        }
        at = end;
    }
    return 0;
}

static void end_run(struct run *run)
{
    struct verbs_request request = {.kind = VERBS_UNLEND, .until_ps = SHIM_NEVER, .region = {.address = run->begin}};
    shim_ask(&request, sizeof request, NULL);
    for (uint64_t page = run->begin; page < run->end; page += VERBS_PAGE_BYTES)
        shim_forget_page(page);
    replace_pages(run->begin, run->end - run->begin, -1);
    run->regions = 0;
}

void shim_unshare(uint64_t address, size_t length)
{
    for (int i = 0; i < RUNS_MOST; i++)
        if (runs[i].regions > 0 && runs[i].begin < address + length && runs[i].end > address / VERBS_PAGE_BYTES * VERBS_PAGE_BYTES &&
            --runs[i].regions == 0) {
            runs[i].regions = 1;
            end_run(&runs[i]);
        }
}

void shim_each_page(void (*each)(uint64_t page))
{
    for (int i = 0; i < RUNS_MOST; i++)
        for (uint64_t page = runs[i].begin; runs[i].regions > 0 && page < runs[i].end; page += VERBS_PAGE_BYTES)
            each(page);
}
