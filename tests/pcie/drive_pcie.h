/* Drives one struct pcie with the loads of a system of the reference, and keeps the same log. */
#ifndef TESTS_PCIE_DRIVE_PCIE_H
#define TESTS_PCIE_DRIVE_PCIE_H

#include "tests/pcie/ref_pcie.h"

struct drive_options {
    int horizon_off;
    uint64_t spurious_seed; /* 0: no spurious wakes */
    int checks;             /* after every decision: credits within their advert, each tag in one place */
};

/* NULL, or what went wrong; the text stays until the next call. */
const char *drive_pcie_run(const struct ref_pcie_system *system, const struct drive_options *options,
                           struct ref_pcie_log *log);

#endif
