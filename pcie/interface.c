#include "pcie/interface.h"

void interface_init(struct interface *interface, uint32_t width_bytes, uint32_t parts, uint32_t descriptor_bytes,
                    const struct clk *user, const struct clk *link)
{
    *interface = (struct interface){.descriptor_bytes = descriptor_bytes};
    while ((1u << interface->start_shift) < width_bytes / parts)
        interface->start_shift++;
    for (uint32_t starts = 1; starts <= INTERFACE_STARTS_MAX; starts++) {
        /* ceil(starts / parts * user period / byte period) */
        __int128 num = (__int128)starts * user->num * link->den, den = (__int128)user->den * link->num * parts;
        interface->cyc[starts] = (uint32_t)((num + den - 1) / den);
    }
}
