#include "pcie/params.h"

#define PARAM(...) PARAM_ROW(struct pcie_params, __VA_ARGS__)
static const struct param_desc rows[] = {
#include "pcie/params.def"
};
#undef PARAM

const struct param_table pcie_param_table = PARAM_TABLE("pcie", struct pcie_params, rows);

struct pcie_params pcie_params_of_path(const struct pcie_params *params)
{
    struct pcie_params path = *params;
    if (path.mps > path.mps_most)
        path.mps = path.mps_most;
    return path;
}
