/* Reads the posts of one process as the verbs recorder wrote them for perftest: fourteen columns, no header lines.
 *
 * Columns: t_ps,proc,qpn,db,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,wr_id; opcode as enum ibv_wr_opcode,
 * flags as enum ibv_send_flags. Numbers are decimal, or hexadecimal with 0x. The times are not kept: they come from a
 * stand-in for a NIC. */
#ifndef TRACES_RECORDED_H
#define TRACES_RECORDED_H

#include "traces/record.h"

struct trace_recorded {
    struct trace_record *rows; /* event SEND; t_ps, host, cqn and dep are 0 */
    size_t count;              /* at least 1 */
};

/* 0, or -1 with "file:line: ..." and nothing to free. */
int trace_recorded_read(const char *path, struct trace_recorded *recorded, struct rnicsim_error *error);
void trace_recorded_free(struct trace_recorded *recorded);

#endif
