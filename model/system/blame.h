/* The place of a value that a room has refused once the layers were put together.
 *
 * A room knows values, not files: its error names keys ("pcie.mps: allowed ...", "stage tx.mac: ...", "path tx ...",
 * "section [stage tx.mac]: ..."). Of the values that an error names, the one of the highest layer is to blame: whoever said
 * -s last broke what was whole before. */
#ifndef SYSTEM_BLAME_H
#define SYSTEM_BLAME_H

#include "config/config.h"

/* Puts "nic rnic_512.nic:82: " or "-s key=value: " before the error; leaves it alone when it names nothing. Always -1. */
int system_blame(const struct config *config, struct config_error *error);

#endif
