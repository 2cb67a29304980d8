/* rnicsim linecheck, the PCIe side: what a link and its endpoint carry at most for each payload size, and which limit binds. */
#ifndef BENCH_LINECHECK_PCIE_H
#define BENCH_LINECHECK_PCIE_H

#include <argp.h>

#include "bench/model_options.h"

#define LINECHECK_SETTINGS_MAX 16

struct linecheck_pcie {
    struct model_options model;
    const char *link; /* --pcie; NULL: not given */
    const char *latency;
    char setting[LINECHECK_SETTINGS_MAX][160]; /* the options that are parameters, as "pcie.key=value" */
    size_t settings;
};

/* A child of linecheck's argp; its input is a struct linecheck_pcie, whose model is that of model_options_argp(), another child. */
const struct argp *linecheck_pcie_argp(void);
/* Whether any of these options was given. */
int linecheck_pcie_is_asked(const struct linecheck_pcie *pcie);
/* width, clock, rate: linecheck's options; NULL where not given. Returns the exit status. */
int linecheck_pcie_run(struct linecheck_pcie *pcie, const char *width, const char *clock, const char *rate, int json);
void linecheck_pcie_free(struct linecheck_pcie *pcie);

#endif
