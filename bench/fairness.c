#include "bench/fairness.h"

struct fairness fairness_of(const struct collect *collect)
{
    struct fairness fairness = {0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < collect->qp_index.count; i++) {
        double gbps = collect_qp_gbps(&collect->qps[i]);
        if (collect->qps[i].host != 0)
            continue;
        if (fairness.qps == 0 || gbps < fairness.least_gbps)
            fairness.least_gbps = gbps;
        if (gbps > fairness.most_gbps)
            fairness.most_gbps = gbps;
        fairness.qps++;
        sum += gbps;
        squares += gbps * gbps;
    }
    fairness.jain = squares > 0 ? sum * sum / ((double)fairness.qps * squares) : 1;
    return fairness;
}
