#include "mac/line.h"

int line_init(struct line *line, const struct mac_params *params, int64_t off_ppb, int64_t phase_ps)
{
    *line = (struct line){.params = params};
    if (params->rate % 8 != 0 || clk_init_hz(&line->clk, params->rate / 8, off_ppb, phase_ps))
        return -1;
    int64_t delay_ps = params->serdes + (params->cable * params->cable_delay + 999) / 1000;
    line->delay_cyc = clk_at_or_after(&line->clk, delay_ps + phase_ps) + 1;
    return 0;
}

struct line_frame line_send(struct line *line, uint32_t bytes, int64_t head_cyc, int64_t tail_cyc, uint32_t word_bytes)
{
    const struct mac_params *p = line->params;
    struct line_frame frame = {.start_cyc = head_cyc > line->free_cyc ? head_cyc : line->free_cyc};
    int64_t body = bytes > p->frame_least ? bytes : p->frame_least;
    int64_t word = bytes < word_bytes ? bytes : word_bytes;
    int64_t data_cyc = frame.start_cyc + p->preamble;
    frame.word_at_cyc = data_cyc + word - 1 + line->delay_cyc;
    frame.last_at_cyc = data_cyc + body + p->fcs - 1 + line->delay_cyc;
    frame.underrun = tail_cyc > data_cyc + bytes - 1;
    line->free_cyc = data_cyc + body + p->fcs + p->gap;
    line->work_cyc += line->free_cyc - frame.start_cyc;
    line->frames++;
    line->underruns += (uint64_t)frame.underrun;
    return frame;
}
