/* Random sound systems of one PCIe link, with a load. */
#ifndef TESTS_PCIE_RANDOM_PCIE_H
#define TESTS_PCIE_RANDOM_PCIE_H

#include "tests/pcie/ref_pcie.h"

void random_pcie(uint64_t seed, struct ref_pcie_system *system);

#endif
