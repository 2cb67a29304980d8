/* The parameters of the PCIe link, the endpoint's DMA engine and the host's root complex. */
#ifndef PCIE_PARAMS_H
#define PCIE_PARAMS_H

#include "config/param.h"

struct pcie_params {
#define PARAM PARAM_FIELD
#include "pcie/params.def"
#undef PARAM
};

enum pcie_writes { PCIE_WRITES_GREEDY, PCIE_WRITES_ALIGNED };
enum pcie_partial_line { PCIE_PARTIAL_JOINED, PCIE_PARTIAL_APART };
enum pcie_completions { PCIE_COMPLETIONS_MPS, PCIE_COMPLETIONS_RCB };

extern const struct param_table pcie_param_table;

#endif
