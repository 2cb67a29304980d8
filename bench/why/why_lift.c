/* Which limit binds, and what is gained by lifting it: each is lifted by the parameter that sets it, and the workload run again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli.h"
#include "bench/parallel.h"
#include "bench/why/why.h"

#define SETTINGS_MAX 4u
#define GAIN_LEAST 1.001
#define RATE_KEPT 0.999

/* How a parameter lifts a limit: "x16": so many times its value; else the value. Several lines of one limit are tried in order, until one is
 * allowed and makes the run faster. cause: of bottleneck; stage: the end of its name, "" for any. */
static const struct lift {
    const char *cause, *stage;
    const char *set[3][2]; /* key, how; up to three together */
} lifts[] = {
    {"no_tag", "", {{"pcie.tags", "x16"}}},
    {"no_tag", "", {{"pcie.tags", "1024"}, {"pcie.generation", "4"}}},
    {"no_tag", "", {{"pcie.tags", "256"}}},
    {"no_credit_CPLH", "", {{"pcie.completion_headers", "x16"}}},
    {"no_credit_CPLD", "", {{"pcie.completion_buffer", "x16"}}},
    {"no_credit_PH", "", {{"pcie.posted_headers", "x16"}}},
    {"no_credit_PH", "", {{"pcie.posted_headers", "127"}}},
    {"no_credit_PH", "", {{"pcie.host_write_lines", "x16"}}},
    {"no_credit_PD", "", {{"pcie.posted_data", "x16"}}},
    {"no_credit_PD", "", {{"pcie.posted_data", "32752 B"}}},
    {"no_credit_PD", "", {{"pcie.host_write_lines", "x16"}}},
    {"no_credit_NPH", "", {{"pcie.nonposted_headers", "x16"}}},
    {"no_credit_NPH", "", {{"pcie.nonposted_headers", "127"}}},
    {"no_replay_buffer", "", {{"pcie.replay_buffer", "x16"}}},
    {"replay", "", {{"pcie.damaged_tlps", "0 ppm"}, {"pcie.lost_acks", "0 ppm"}}},
    {"no_buffer", "", {{"nic.payload_buffer", "x16"}}},
    {"window_full", "", {{"transport.window", "x16"}}},
    {"context_busy", "", {{"nic.context_loop", "1 cycle"}}},
    {"no_wqe", "", {{"nic.wqe_fetch_most", "16"}, {"nic.wqe_prefetch", "8"}, {"nic.wqe_reads", "x16"}}},
    {"no_wqe", "", {{"nic.wqe_reads", "x16"}}},
    {"no_receive_wqe", "", {{"nic.receive_reads", "x16"}}},
    {"no_request", "", {{"nic.requests", "x16"}}},
    {"context_miss", "", {{"nic.qpc_entries", "0"}, {"nic.cqc_entries", "0"}, {"nic.mtt_entries", "0"}}},
    {"context_miss", "", {{"nic.qpc_entries", "0"}, {"nic.mpt_entries", "0"}, {"nic.mtt_entries", "0"}}},
    {"srq_busy", "", {{"nic.srq_loop", "1 cycle"}}},
    {"no_retransmit", "", {{"nic.retransmit_entries", "0"}}},
    {"retry", "", {{"transport.rnr_timer", "1"}}},
    {"work", "core line", {{"mac.rate", "x4"}, {"stage.tx.mac.width", "x4"}, {"stage.mac_rx.mac.width", "x4"}}},
    {"work", "core line", {{"mac.rate", "x4"}}},
    {"work", "core line", {{"mac.rate", "x2"}}},
    {"work", "core line", {{"mac.rate", "x1.2"}}},
    {"work", "core port", {{"nic.port_width", "x4"}}},
    {"work", "core pcie_up", {{"pcie.generation", "5"}}},
    {"work", "core pcie_down", {{"pcie.generation", "5"}}},
    {"work", "core pcie_up", {{"pcie.generation", "5"}, {"pcie.user_width", "x4"}}},
    {"work", "core pcie_down", {{"pcie.generation", "5"}, {"pcie.user_width", "x4"}}},
    {"work", "core pcie_up", {{"pcie.lanes", "16"}}},
    {"work", "core pcie_down", {{"pcie.lanes", "16"}}},
    {"work", "core host_cpu", {{"host.post_cost", "1 ns"}, {"host.wqe_cost", "1 ns"}, {"host.mmio_read", "off"}}},
    {"work", "core scheduler", {{"nic.scheduler_interval", "1 cycle"}}},
    {"work", "core read_engine", {{"pcie.operation_interval", "1 cycle"}, {"pcie.read_interval", "1 cycle"}}},
    {"work", "core retire", {{"nic.retire_interval", "1 cycle"}}},
    {"work", "core memory", {{"nic.memory_rate", "x4"}}},
    {"work", "core free_list", {{"nic.payload_free_list", "1 cycle"}}},
    {"work", "core payload_ram", {{"nic.payload_ports", "2"}}},
    {"work", "core fabric", {{"nic.fabric_interval", "1 cycle"}, {"nic.fabric_gap", "0 cycle"}}},
    {"work", "core context_unit", {{"nic.context_interval", "1 cycle"}}},
    {"work", "core translation_unit", {{"nic.translation_interval", "1 cycle"}}},
};

struct candidate {
    char text[SETTINGS_MAX][WHY_TEXT_BYTES];
    size_t count;
};

struct trying {
    const struct why_options *options;
    const char **set;
    size_t count;
    const struct candidate *candidates;
};

/* "x16" of "128 KiB" is "2048 KiB". 0: not possible. */
static int put_setting(const struct rnicsim *sim, const char *key, const char *how, char *text)
{
    struct rnicsim_param_info param;
    char *unit;
    if (how[0] != 'x') {
        snprintf(text, WHY_TEXT_BYTES, "%s=%s", key, how);
        return 1;
    }
    if (!model_param(sim, key, &param))
        return 0;
    double number = strtod(param.value, &unit);
    snprintf(text, WHY_TEXT_BYTES, "%s=%.12g%s", key, number * strtod(how + 1, NULL), unit);
    return unit != param.value && number > 0;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void add_from_table(const struct rnicsim *sim, const struct bottleneck *bottleneck, struct candidate *candidates,
                           size_t *count)
{
    for (size_t i = 0; i < sizeof lifts / sizeof *lifts; i++) {
        struct candidate *candidate = &candidates[*count];
        int is_good = strcmp(lifts[i].cause, bottleneck->cause) == 0 && ends_with(bottleneck->stage, lifts[i].stage);
        *candidate = (struct candidate){.count = 0};
        for (size_t k = 0; is_good && k < 3 && lifts[i].set[k][0] != NULL; k++)
            is_good = put_setting(sim, lifts[i].set[k][0], lifts[i].set[k][1], candidate->text[candidate->count++]);
        *count += (size_t)is_good;
    }
}

/* A stage of a path: "a tx mac" has stage.tx.mac.interval, width and clock. */
static void add_stage(const struct rnicsim *sim, const struct bottleneck *bottleneck, struct candidate *candidates,
                      size_t *count)
{
    static const char *const how[][2] = {{"interval", "1 cycle"}, {"gap", "0 cycle"}, {"width", "x4"}, {"width", "x2"}};
    char path[64], name[64], key[160];
    if (strcmp(bottleneck->cause, "work") != 0 || sscanf(bottleneck->stage, "%*s %63s %63s", path, name) != 2 ||
        strcmp(path, "core") == 0)
        return;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        struct candidate *candidate = &candidates[*count];
        snprintf(key, sizeof key, "stage.%s.%s.%s", path, name, how[i][0]);
        *candidate = (struct candidate){.count = 1};
        *count += (size_t)put_setting(sim, key, how[i][1], candidate->text[0]);
    }
}

static void add_depth(const struct rnicsim *sim, const struct why_outcome *now, struct candidate *candidates,
                      size_t *count)
{
    struct candidate *candidate = &candidates[*count];
    *candidate = (struct candidate){.count = 1};
    if (now->full_key[0] != 0)
        *count += (size_t)put_setting(sim, now->full_key, "x16", candidate->text[0]);
}

static int try_one(void *context, size_t index, void *out)
{
    const struct trying *trying = context;
    const struct candidate *candidate = &trying->candidates[index];
    const char *set[WHY_LIFTS_MAX * SETTINGS_MAX + SETTINGS_MAX];
    size_t count = trying->count;
    memcpy(set, trying->set, count * sizeof *set);
    for (size_t i = 0; i < candidate->count; i++)
        set[count++] = candidate->text[i];
    return why_run(trying->options, set, count, out);
}

/* How much faster: throughput, or where that is the load's, the mean latency. */
static double gain_of(const struct why_outcome *before, const struct why_outcome *after)
{
    double rate = before->message_rate_mps > 0 ? after->message_rate_mps / before->message_rate_mps : 0;
    double latency = after->mean_ns > 0 ? before->mean_ns / after->mean_ns : 0;
    return rate > GAIN_LEAST || rate < RATE_KEPT ? rate : latency;
}

static void name_lift(struct why_lift *lift, const struct candidate *candidate)
{
    size_t used = 0;
    for (size_t i = 0; i < candidate->count && used < sizeof lift->setting; i++)
        used += (size_t)snprintf(lift->setting + used, sizeof lift->setting - used, "%s%s", i > 0 ? "; " : "",
                                 candidate->text[i]);
}

/* Builds the model with what was lifted, to know the values in effect. */
static int build(const struct why_options *options, const char *const *set, size_t count, struct rnicsim **sim)
{
    struct model_options model;
    struct rnicsim_options create = {.seed = options->seed};
    int result = model_options_extend(&model, &options->model, set, count);
    if (result == CLI_DONE)
        result = model_options_create(&model, &create, sim);
    model_options_free(&model);
    return result;
}

/* The first candidate that helps; those that are not allowed, or do not end, do not. */
static int lift_one(struct why_lift *lift, struct trying *trying, struct candidate *candidates, size_t count,
                    size_t *chosen)
{
    struct why_outcome *outcomes = calloc(count + 1, sizeof *outcomes);
    int *status = calloc(count + 1, sizeof *status);
    int result = outcomes == NULL || status == NULL ? cli_fail("out of memory for %zu runs", count)
                                                    : parallel_run(count, trying->options->jobs, try_one, trying,
                                                                   status, outcomes, sizeof *outcomes, NULL);
    *chosen = count;
    for (size_t i = 0; result == CLI_DONE && i < count && *chosen == count; i++)
        if (status[i] == CLI_DONE && outcomes[i].is_complete && gain_of(&lift->before, &outcomes[i]) > GAIN_LEAST)
            *chosen = i;
    if (result == CLI_DONE && *chosen < count) {
        lift->after = outcomes[*chosen];
        lift->is_lifted = 1;
        name_lift(lift, &candidates[*chosen]);
    }
    free(outcomes);
    free(status);
    return result;
}

int why_lift_all(struct why_limits *limits, const struct why_options *options, const struct why_outcome *now)
{
    const char *set[WHY_LIFTS_MAX * SETTINGS_MAX];
    struct candidate *all = calloc(WHY_LIFTS_MAX * (sizeof lifts / sizeof *lifts + 8), sizeof *all), *at = all;
    struct trying trying = {.options = options, .set = set};
    struct why_outcome before = *now;
    int result = all == NULL ? cli_fail("out of memory for the limits") : CLI_DONE;
    for (int goes_on = 1; result == CLI_DONE && goes_on && limits->count < WHY_LIFTS_MAX;) {
        struct why_lift *lift = &limits->lift[limits->count++];
        struct rnicsim *sim = NULL;
        size_t count = 0, chosen = 0;
        *lift = (struct why_lift){.bottlenecks = before.bottlenecks, .before = before};
        result = build(options, set, trying.count, &sim);
        if (result != CLI_DONE)
            break;
        add_from_table(sim, &before.bottlenecks.first, at, &count);
        add_stage(sim, &before.bottlenecks.first, at, &count);
        add_depth(sim, &before, at, &count);
        rnicsim_destroy(sim);
        trying.candidates = at;
        result = lift_one(lift, &trying, at, count, &chosen);
        goes_on = result == CLI_DONE && chosen < count;
        for (size_t i = 0; goes_on && i < at[chosen].count; i++)
            set[trying.count++] = at[chosen].text[i];
        before = lift->after;
        at += count;
    }
    free(all);
    return result;
}
