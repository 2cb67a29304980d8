/* Opens the device and then ends as its argument says: "crash", "killed", "status", or never: "polls", "spins", "reads". */
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static _Alignas(4096) char memory[4096];
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, NULL, 0);
    struct ibv_wc wc;
    const char *how = argc > 1 ? argv[1] : "";
    if (ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE) == NULL)
        return 9;
    if (strcmp(how, "crash") == 0)
        *(volatile char *)8 = 1;
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(how, "polls") == 0)
        while (ibv_poll_cq(cq, 1, &wc) == 0)
            continue;
    if (strcmp(how, "spins") == 0)
        while (*(volatile char *)memory == 0)
            continue;
    return 3;
}
