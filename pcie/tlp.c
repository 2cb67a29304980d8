#include "pcie/tlp.h"

uint32_t tlp_pieces(uint64_t address, uint32_t bytes, uint32_t most)
{
    uint32_t pieces = 0;
    while (bytes > 0) {
        uint32_t piece = tlp_piece(address, bytes, most);
        address += piece;
        bytes -= piece;
        pieces++;
    }
    return pieces;
}
