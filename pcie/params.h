/* The parameters of the PCIe link, the endpoint's DMA engine and the host's root complex. */
#ifndef PCIE_PARAMS_H
#define PCIE_PARAMS_H

#include "config/param.h"

struct pcie_params {
#define PARAM PARAM_FIELD
#include "pcie/params.def"
#undef PARAM
};

enum pcie_header { PCIE_HEADER_3DW, PCIE_HEADER_4DW };
enum pcie_skips { PCIE_SKIPS_OFF, PCIE_SKIPS_ON };
enum pcie_writes { PCIE_WRITES_GREEDY, PCIE_WRITES_ALIGNED };
enum pcie_straddle { PCIE_STRADDLE_OFF, PCIE_STRADDLE_ON };
enum pcie_np_blocks { PCIE_NP_BLOCKS_OFF, PCIE_NP_BLOCKS_ON };
enum pcie_scaled { PCIE_SCALED_1, PCIE_SCALED_4, PCIE_SCALED_16 };
enum pcie_retire { PCIE_RETIRE_ARRIVAL, PCIE_RETIRE_IN_ORDER };
enum pcie_relaxed { PCIE_RELAXED_OFF, PCIE_RELAXED_PAYLOAD, PCIE_RELAXED_ALL };
enum pcie_completions { PCIE_COMPLETIONS_MPS, PCIE_COMPLETIONS_RCB };

extern const struct param_table pcie_param_table;

/* As the path from endpoint to host lets them be: MPS is the least that anyone on it takes (Base Spec 7.8.4). */
struct pcie_params pcie_params_of_path(const struct pcie_params *params);

#endif
