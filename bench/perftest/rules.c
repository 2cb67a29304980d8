/* What perftest derives from its options, and which it refuses together (force_dependecies() and parser() of v4.5-0.17). */
#include "bench/perftest/options.h"

#define CQ_MOD_LARGEST_BYTES 8192u /* above, every request is signalled unless the user says otherwise */
#define NO_PEAK_ITERS 20000u

static int refuse_pairs(const struct perftest_options *o, struct rnicsim_error *error)
{
    if (o->is_lat && o->qps > 1)
        return perftest_fail(error, "--perftest: -q is for bandwidth tests only");
    if (o->is_lat && o->both_ways)
        return perftest_fail(error, "--perftest: -b is for bandwidth tests only");
    if (o->is_lat && o->no_peak)
        return perftest_fail(error, "--perftest: -N is for bandwidth tests only");
    if (o->is_lat && o->post_list > 1)
        return perftest_fail(error, "--perftest: -l is for bandwidth tests only");
    if (!o->is_lat && (o->in_cycles || o->sorted || o->unsorted))
        return perftest_fail(error, "--perftest: -C, -H and -U are for latency tests only");
    if (!o->is_lat && o->gap_us > 0)
        return perftest_fail(error, "--perftest: --latency_gap is for latency tests only");
    if (!o->is_send && o->rx_depth > 1)
        return perftest_fail(error, "--perftest: -r is for send tests only");
    if (!o->is_send && o->use_srq)
        return perftest_fail(error, "--perftest: --use-srq is for send tests only");
    if (perftest_is_answered(o) && o->inline_bytes > 0)
        return perftest_fail(error, "--perftest: -I is not for read and atomic tests");
    if (!perftest_is_answered(o) && o->has_outs)
        return perftest_fail(error, "--perftest: -o is for read and atomic tests only");
    if (o->verb != PERFTEST_ATOMIC && o->has_type)
        return perftest_fail(error, "--perftest: -A is for atomic tests only");
    if (o->verb == PERFTEST_ATOMIC && (o->all_sizes || (o->has_size && o->size_bytes != 8)))
        return perftest_fail(error, "--perftest: atomics have 8 bytes: no other -s, and no -a");
    if ((o->mtu_bytes & (o->mtu_bytes - 1)) != 0)
        return perftest_fail(error, "--perftest: -m %u, allowed are 256, 512, 1024, 2048 and 4096", o->mtu_bytes);
    return 0;
}

static int refuse_transport(const struct perftest_options *o, struct rnicsim_error *error)
{
    if (o->transport == RNICSIM_UD && !o->is_send)
        return perftest_fail(error, "--perftest: -c UD is for send tests only");
    if (o->transport == RNICSIM_UC && perftest_is_answered(o))
        return perftest_fail(error, "--perftest: -c UC is not for read and atomic tests");
    return 0;
}

/* A datagram is one packet: perftest says so, and takes the MTU. */
static void fit_datagrams(struct perftest_options *o)
{
    if (o->transport == RNICSIM_UD && o->size_bytes > o->mtu_bytes)
        o->size_bytes = o->mtu_bytes;
}

static int refuse_duration(const struct perftest_options *o, struct rnicsim_error *error)
{
    if (o->duration_s == 0 && o->has_margin)
        return perftest_fail(error, "--perftest: -f is the margin of a duration, but there is no -D");
    if (o->duration_s > 0 && o->all_sizes)
        return perftest_fail(error, "--perftest: -D does not go with -a");
    if (o->duration_s > 0 && o->has_iters)
        return perftest_fail(error, "--perftest: -D and -n: either a duration or a number of iterations");
    if (o->duration_s > 0 && (o->sorted || o->unsorted))
        return perftest_fail(error, "--perftest: -H and -U need single samples, which -D does not take");
    if (o->duration_s > 0 && o->duration_s <= 2 * o->margin_s)
        return perftest_fail(error, "--perftest: -D %u must be more than twice the margin of %u", o->duration_s,
                             o->margin_s);
    return 0;
}

/* Once cq_mod is known. */
static int refuse_lists(const struct perftest_options *o, struct rnicsim_error *error)
{
    if (o->post_list > 1 && o->duration_s == 0 && o->iters % o->post_list != 0)
        return perftest_fail(error, "--perftest: -n %llu is no multiple of the post list's %u",
                             (unsigned long long)o->iters, o->post_list);
    if (o->post_list > 1 && o->post_list % o->cq_mod != 0)
        return perftest_fail(error, "--perftest: the post list's %u is no multiple of the CQ moderation's %u",
                             o->post_list, o->cq_mod);
    if (o->post_list > o->tx_depth)
        return perftest_fail(error, "--perftest: -l %u posts more than the send queue's %u at once", o->post_list,
                             o->tx_depth);
    uint64_t samples = o->duration_s > 0 || o->no_peak ? 1 : o->iters * o->qps;
    if (samples > PERFTEST_SAMPLES_MAX)
        return perftest_fail(error, "--perftest: %llu samples, allowed are %u: fewer iterations or QPs, or -N",
                             (unsigned long long)samples, PERFTEST_SAMPLES_MAX);
    return 0;
}

static void derive_depths(struct perftest_options *o)
{
    if (o->duration_s == 0 && o->tx_depth > o->iters)
        o->tx_depth = (uint32_t)o->iters;
    if (o->duration_s == 0 && o->is_send && o->rx_depth > o->iters)
        o->rx_depth = (uint32_t)o->iters;
    if (o->is_send && o->rx_depth % 2 == 1 && !o->all_sizes)
        o->rx_depth++;
}

static void derive_cq_mod(struct perftest_options *o)
{
    if (o->size_bytes > CQ_MOD_LARGEST_BYTES && !o->all_sizes && !o->has_cq_mod)
        o->cq_mod = 1;
    if (o->cq_mod > o->tx_depth)
        o->cq_mod = o->tx_depth;
    if (o->post_list > 1 && !o->has_cq_mod)
        o->cq_mod = o->post_list;
}

int perftest_apply_rules(struct perftest_options *o, struct rnicsim_error *error)
{
    if (!o->has_inline && o->is_lat && !perftest_is_answered(o))
        o->inline_bytes = o->transport == RNICSIM_UD ? 188 : o->is_send ? 236 : 220;
    o->use_srq |= o->transport == RNICSIM_XRC && o->is_send;
    fit_datagrams(o);
    if (o->duration_s > 0 && !o->has_margin)
        o->margin_s = o->duration_s / 4;
    if (refuse_pairs(o, error) || refuse_transport(o, error) || refuse_duration(o, error))
        return -1;
    derive_depths(o);
    derive_cq_mod(o);
    if (o->duration_s > 0)
        o->iters = 0;
    if (o->duration_s > 0 || (!o->is_lat && o->iters > NO_PEAK_ITERS))
        o->no_peak = 1;
    if (o->use_srq && o->qps > o->rx_depth)
        return perftest_fail(error, "--perftest: --use-srq needs at least a buffer a QP: -q %u, -r %u", o->qps,
                             o->rx_depth);
    return refuse_lists(o, error);
}

uint64_t perftest_size_bytes(const struct perftest_options *options, size_t n)
{
    if (!options->all_sizes)
        return n == 0 ? options->size_bytes : 0;
    uint64_t size_bytes = n < PERFTEST_SIZES_MAX ? UINT64_C(2) << n : 0;
    return options->transport == RNICSIM_UD && size_bytes > options->mtu_bytes ? 0 : size_bytes;
}
