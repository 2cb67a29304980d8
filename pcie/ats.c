/* Address translation services: the endpoint asks the IOMMU itself, and keeps the answers in a cache (ATC). */
#include "pcie/up.h"

#define TRANSLATION_BYTES 8u /* of a translation completion: one entry (ATS 1.1, 2.3) */

int64_t up_translated_cyc(struct pcie *pcie, int input, uint64_t address, int64_t start_cyc)
{
    struct pcie_translated *kept = &pcie->translated[input];
    uint64_t page = address >> pcie->atc.page_shift;
    int64_t ready_ps = kept->page == page + 1 ? kept->ready_ps : iommu_look_up(&pcie->atc, address);
    if (ready_ps < 0) {
        uint32_t back_bytes = TRANSLATION_BYTES + pcie->completion_bytes;
        int64_t took = interface_occupancy_cyc(&pcie->requests_side, 0, pcie->request_bytes);
        stops_pass(&pcie->stops[PCIE_UP], start_cyc);
        pcie->up_free_cyc = up_send_again(pcie, pcie->request_bytes, start_cyc, took);
        pcie->up_work_cyc += took;
        int64_t at_ps = root_translate(&pcie->root, pcie_arrival_ps(pcie, pcie->up_free_cyc), address, 0);
        ready_ps = clk_edge(&pcie->link_clk, clk_at_or_after(&pcie->link_clk, at_ps) + back_bytes) +
                   pcie->params->link_latency;
        iommu_fill(&pcie->atc, address, ready_ps);
        *kept = (struct pcie_translated){page + 1, ready_ps};
        pcie_count_one(pcie, PCIE_UP, PCIE_TRANSLATION, 0, pcie->request_bytes);
        pcie_count_one(pcie, PCIE_DOWN, PCIE_TRANSLATION, TRANSLATION_BYTES, back_bytes);
    }
    int64_t ready_cyc = clk_at_or_after(&pcie->link_clk, ready_ps);
    return ready_cyc > start_cyc ? ready_cyc : start_cyc;
}
