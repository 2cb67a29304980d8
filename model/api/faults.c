/* The plan of faults: each line is checked, and given to both NICs. */
#include "api/api_internal.h"

static const char *wrong_with(const struct rnicsim *sim, const struct rnicsim_fault *fault)
{
    if ((unsigned)fault->action > RNICSIM_FAULT_MARK)
        return "action: allowed are those of enum rnicsim_fault_action";
    if (fault->frames == 0 || fault->frames > RNICSIM_FRAME_ANY)
        return "frames: allowed are the bits of enum rnicsim_fault_frames";
    if (fault->from_host >= API_HOSTS && fault->from_host != RNICSIM_FAULT_ANY)
        return "from_host: allowed 0, 1 or any";
    if (fault->psn > 0xffffff && fault->psn != RNICSIM_FAULT_ANY)
        return "psn: allowed 0 to 16777215";
    if (fault->probability_ppb > 1000000000)
        return "probability: allowed 0 to 1";
    if (fault->from_ps < 0 || fault->to_ps < fault->from_ps)
        return "time: allowed from 0, and an end that is not before the beginning";
    if (fault->action == RNICSIM_FAULT_DELAY && (fault->delay_ps < 1 || fault->delay_ps > RNICSIM_TIME_MAX / 4))
        return "delay: allowed from 1 ps to 2^60 ps";
    if (sim->system.nic[0].line_holds)
        return "mac.back_pressure = on, where a MAC is wired to a MAC: allowed without faults";
    return sim->posted > 0 ? "something has been posted: a plan comes before" : 0;
}

int rnicsim_fault_add(struct rnicsim *sim, const struct rnicsim_fault *asked, struct rnicsim_error *error)
{
    int dead = api_alive(sim, error);
    if (dead)
        return dead;
    if (!asked)
        return api_fail(error, RNICSIM_EINPUT, "the fault is NULL");
    const char *wrong = wrong_with(sim, asked);
    if (wrong)
        return api_fail(error, RNICSIM_EINPUT, "fault: %s", wrong);
    struct fault fault = {.action = (enum fault_action)asked->action,
                          .frames = asked->frames,
                          .from = asked->from_host,
                          .qpn = asked->qpn,
                          .psn = asked->psn,
                          .times = (enum fault_times)asked->times,
                          .request = asked->request,
                          .is_end = asked->is_end,
                          .from_ps = asked->from_ps + sim->system.shift_ps,
                          .to_ps = asked->to_ps == RNICSIM_NEVER ? SIM_NEVER : asked->to_ps + sim->system.shift_ps,
                          .nth = asked->nth,
                          .every = asked->every,
                          .most = asked->most,
                          .probability_ppb = asked->probability_ppb,
                          .delay_ps = asked->delay_ps};
    for (uint32_t host = 0; host < API_HOSTS; host++)
        if (faults_add(&sim->system.nic[host], &fault))
            return api_fail(error, RNICSIM_EINPUT, "out of memory");
    return RNICSIM_OK;
}

uint64_t rnicsim_fault_done(const struct rnicsim *sim, size_t index)
{
    uint64_t done = 0;
    for (uint32_t host = 0; host < API_HOSTS; host++)
        if (index < sim->system.nic[host].faults.count)
            done += sim->system.nic[host].faults.plan[index].done;
    return done;
}
