/* rnicsim: the command line. Finds the subcommand and returns its exit status. */
#include <stdio.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/commands.h"

struct command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *sentence;
};

static const struct command commands[] = {
    {"run", run_main, "replays a trace: latency, jitter, bottleneck, FIFOs"},
    {"size", size_main, "the smallest buffer depths for a trace, and what they take in an FPGA"},
    {"why", why_main, "what made the slowest requests slow, which limit binds, what each parameter does"},
    {"sweep", sweep_main, "a workload for every point of a parameter sweep: tables, charts"},
    {"params", params_main, "lists the parameters, or the values in effect"},
    {"boards", boards_main, "lists the boards that can be named"},
    {"trace", trace_main, "trace files: info, check, convert, import"},
    {"validate", validate_main, "predicted beside measured, with the error of each point"},
    {"compare", compare_main, "what RTL did beside the prediction, stage by stage"},
    {"linecheck", linecheck_main, "whether a datapath keeps up with a line, what PCIe carries"},
    {"mac", mac_main, "a MAC alone, frame by frame, in cycles"},
    {"net", net_main, "ideal hosts behind switches: queues, pauses, marks, DCQCN"},
    {"headroom", headroom_main, "room above a pause threshold, so that nothing is dropped"},
    {"pciebench", pciebench_main, "pcie-bench's measurements on a host; fits a host to measured ones"},
    {"verbs", verbs_main, "runs verbs programs, unmodified, on the model"},
};

static int print_help(void)
{
    printf("Usage: rnicsim COMMAND [OPTION...]\n"
           "A cycle-accurate model of an RDMA NIC (RoCE v2): two NICs and a cable, simulated.\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].sentence);
    printf("\n  rnicsim COMMAND --help tells the options of a command.\n"
           "  rnicsim --version\n\n"
           "Exit status: 0 done, 1 an assertion failed, 2 the input is wrong, 3 the model found itself wrong.\n");
    return CLI_DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return cli_fail("which command? see rnicsim --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("rnicsim %s\n", RNICSIM_VERSION);
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    return cli_fail("\"%s\" is no command; allowed are run, size, why, sweep, params, boards, trace, validate, "
                    "compare, linecheck, mac, "
                    "net, headroom, pciebench and verbs; see "
                    "rnicsim --help",
                    argv[1]);
}

int main(int argc, char **argv)
{
    int result = dispatch(argc, argv);
    /* What could not be written was not told: a full disk must not look like success. */
    int failed = ferror(stdout);
    if ((fclose(stdout) != 0 || failed) && result == CLI_DONE)
        return cli_fail("standard output cannot be written: %s", strerror(errno));
    return result;
}
