#include "traces/record.h"

#include <stdarg.h>
#include <stdio.h>

const char *trace_event_name(enum trace_event event)
{
    static const char *const names[TRACE_EVENT_COUNT] = {"SEND", "RECV", "DB", "POLL", "CQE", "ARM", "MEMSPIN"};
    return names[event];
}

const char *trace_opcode_name(enum trace_opcode opcode)
{
    static const char *const names[TRACE_OPCODE_COUNT] = {
        "",         "SEND",      "SEND_IMM",  "WRITE",   "WRITE_IMM", "READ",
        "CMP_SWAP", "FETCH_ADD", "LOCAL_INV", "BIND_MW", "SEND_INV",  "RECV",
    };
    return names[opcode];
}

const char *trace_qp_type_name(enum trace_qp_type type)
{
    static const char *const names[TRACE_QP_TYPE_COUNT] = {"RC", "UC", "UD"};
    return names[type];
}

const char *trace_dep_kind_name(enum trace_dep_kind kind)
{
    static const char *const names[TRACE_DEP_KIND_COUNT] = {"", "cqe", "recv", "mem", "post"};
    return names[kind];
}

const char *trace_flag_name(uint32_t bit_index)
{
    static const char *const names[TRACE_FLAG_COUNT] = {"SIGNALED", "INLINE", "SOLICITED", "FENCE"};
    return names[bit_index];
}

const char *trace_access_name(uint32_t bit_index)
{
    static const char *const names[TRACE_ACCESS_COUNT] = {"LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ",
                                                          "REMOTE_ATOMIC"};
    return names[bit_index];
}

int trace_same_doorbell(const struct trace_record *previous, const struct trace_record *record)
{
    return record->event <= TRACE_RECV && record->event == previous->event && record->host == previous->host &&
           record->thread == previous->thread && record->qpn == previous->qpn && record->db_id == previous->db_id;
}

int trace_fail(struct rnicsim_error *error, const char *format, ...)
{
    if (error == NULL)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}
