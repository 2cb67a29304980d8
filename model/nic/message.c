#include "nic/message.h"

#include "kernel/clk.h"

#include <stddef.h>
#include <string.h>

uint32_t message_new(struct pool *messages)
{
    uint32_t index = pool_take(messages);
    if (index == POOL_NONE)
        return POOL_NONE;
    struct message *message = message_at(messages, index);
    memset(message, 0, offsetof(struct message, stamp_ps)); /* the stamps follow */
    message->owners = 1;
    message->delivered_at_ps = SIM_NEVER;
    for (int i = 0; i < MESSAGE_STAMPS; i++)
        message->stamp_ps[i] = SIM_NEVER;
    return index;
}
