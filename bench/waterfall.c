#include "bench/waterfall.h"

#define PS_PER_NS 1000.0

/* [i]: what happens between stamp i and stamp i + 1. */
static const char *const row_name[WATERFALL_ROWS] = {
    "waits for CPU or queue",     /* AT_ARRIVAL to AT_POST */
    "CPU builds WQE and rings",   /* to AT_MMIO */
    "doorbell to NIC, decoded",   /* to AT_DOORBELL */
    "QP waits for scheduler",     /* to AT_GRANT */
    "WQE fetched and parsed",     /* to AT_WQE */
    "last packet's turn",         /* to AT_PACKET */
    "payload read",               /* to AT_PAYLOAD */
    "packet built, port granted", /* to AT_PORT */
    "transmit pipeline to line",  /* to AT_WIRE */
    "line and cable",             /* to AT_RECEIVED */
    "receive MAC, FCS and ICRC",  /* to AT_JUDGED */
    "responder to point of ACK",  /* to AT_RESPONDED */
    "ACK built and transmitted",  /* to AT_ACK_WIRE */
    "ACK on line, received",      /* to AT_ACK_RECEIVED */
    "request retired",            /* to AT_RETIRED */
    "CQE into host memory",       /* to AT_CQE */
    "poll sees CQE",              /* to AT_SEEN */
};

struct waterfall waterfall_of(const struct collect *collect)
{
    struct waterfall waterfall = {.count = collect->stretch_count};
    double count = waterfall.count == 0 ? 1.0 : (double)waterfall.count;
    for (int i = 0; i < WATERFALL_ROWS; i++)
        waterfall.sum_ps += collect->stretch_ps[i + 1];
    for (int i = 0; i < WATERFALL_ROWS; i++) {
        struct waterfall_row *row = &waterfall.rows[i];
        row->name = row_name[i];
        row->from = (enum rnicsim_stamp)i;
        row->to = (enum rnicsim_stamp)(i + 1);
        row->sum_ps = collect->stretch_ps[i + 1];
        row->mean_ns = (double)row->sum_ps / count / PS_PER_NS;
        row->share = waterfall.sum_ps == 0 ? 0 : (double)row->sum_ps / (double)waterfall.sum_ps;
    }
    waterfall.mean_ns = (double)waterfall.sum_ps / count / PS_PER_NS;
    return waterfall;
}

int waterfall_largest(const struct waterfall *waterfall, int except)
{
    int largest = -1;
    for (int i = 0; i < WATERFALL_ROWS; i++)
        if (i != except && waterfall->rows[i].sum_ps > 0 &&
            (largest < 0 || waterfall->rows[i].sum_ps > waterfall->rows[largest].sum_ps))
            largest = i;
    return largest;
}
