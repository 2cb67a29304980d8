#include "nic/message.h"

#include "kernel/clk.h"

uint32_t message_new(struct pool *messages)
{
    uint32_t index = pool_take(messages);
    if (index == POOL_NONE)
        return POOL_NONE;
    struct message *message = message_at(messages, index);
    *message = (struct message){.owners = 1, .delivered_at_ps = SIM_NEVER};
    for (int i = 0; i < MESSAGE_STAMPS; i++)
        message->stamp_ps[i] = SIM_NEVER;
    return index;
}

void message_end(struct pool *messages, uint32_t index)
{
    if (--message_at(messages, index)->owners == 0)
        pool_give(messages, index);
}
