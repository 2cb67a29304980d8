#include "mac/mac_fifo.h"

struct mac_fifo mac_fifo_of(const struct mac_params *p, int64_t user_bytes)
{
    int store = p->fifo == MAC_FIFO_STORE;
    return (struct mac_fifo){.user_bytes = user_bytes,
                             .mac_bytes = p->word / 8,
                             .store = store,
                             .flops = store ? p->fifo_store_flops : p->fifo_flops,
                             .read_cyc = p->fifo_read,
                             .adapter_cyc = p->fifo_adapter};
}

/* Words of the MAC in a beat of the user, where that is wider; else 1. */
static int64_t words_a_beat(const struct mac_fifo *fifo)
{
    return fifo->user_bytes > fifo->mac_bytes ? fifo->user_bytes / fifo->mac_bytes : 1;
}

/* The other way round. */
static int64_t beats_a_word(const struct mac_fifo *fifo)
{
    return fifo->mac_bytes > fifo->user_bytes ? fifo->mac_bytes / fifo->user_bytes : 1;
}

/* The MAC's cycle in which word `index` of a frame can leave the FIFO: with the user's beat that completes it. */
static int64_t word_offered_cyc(const struct mac_fifo *fifo, int64_t user_cyc, int64_t index, int64_t last_beat)
{
    int64_t wide = words_a_beat(fifo), narrow = beats_a_word(fifo);
    int64_t beat = narrow > 1 ? (index + 1) * narrow - 1 : index / wide;
    int64_t in_cyc = user_cyc + (beat < last_beat ? beat : last_beat) + (narrow > 1 ? fifo->adapter_cyc : 0);
    int64_t out_cyc = clk_cross(&fifo->user_clk, in_cyc, &fifo->mac_clk, fifo->flops) + fifo->read_cyc;
    return out_cyc + (wide > 1 ? fifo->adapter_cyc + index % wide : 0);
}

static int64_t last_of(int64_t bytes, int64_t width)
{
    return (bytes + width - 1) / width - 1;
}

int64_t mac_fifo_offered_cyc(const struct mac_fifo *fifo, int64_t user_cyc, uint32_t bytes)
{
    int64_t last = last_of(bytes, fifo->user_bytes);
    return fifo->store ? word_offered_cyc(fifo, user_cyc + last, 0, 0) : word_offered_cyc(fifo, user_cyc, 0, last);
}

/* Of a source that is too slow the last word is the latest against its time, of one that is fast enough the first. */
int mac_fifo_runs_dry(const struct mac_fifo *fifo, int64_t user_cyc, int64_t first_cyc, uint32_t bytes)
{
    int64_t last = last_of(bytes, fifo->user_bytes), word = last_of(bytes, fifo->mac_bytes);
    return !fifo->store && word_offered_cyc(fifo, user_cyc, word, last) > first_cyc + word;
}

int64_t mac_fifo_received_cyc(const struct mac_fifo *fifo, int64_t rx_first_cyc, int64_t rx_last_cyc)
{
    int64_t wide = words_a_beat(fifo), full_cyc = rx_first_cyc + wide - 1;
    int64_t in_cyc = fifo->store || full_cyc > rx_last_cyc ? rx_last_cyc : full_cyc;
    if (wide > 1)
        in_cyc += fifo->adapter_cyc;
    int64_t out_cyc = clk_cross(&fifo->mac_clk, in_cyc, &fifo->user_clk, fifo->flops) + fifo->read_cyc;
    return out_cyc + (beats_a_word(fifo) > 1 ? fifo->adapter_cyc : 0);
}
