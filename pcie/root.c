#include "pcie/root.h"

#include "config/param_dist.h"

int root_init(struct root *root, const struct pcie_params *params, uint64_t seed, uint64_t entity)
{
    *root = (struct root){
        .params = params, .read_least_ps = params->host_read.point[0].ps, .stream = rnd_stream(seed, entity)};
    return param_dist_table(&params->host_read, &root->read_ps);
}
