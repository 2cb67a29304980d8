/* The parameters of the NIC's core: clocks, scheduler, buffers, FIFOs in front of decisions. */
#ifndef NIC_PARAMS_H
#define NIC_PARAMS_H

#include "config/param.h"

struct nic_params {
#define PARAM PARAM_FIELD
#include "nic/params.def"
#undef PARAM
};

enum nic_staging { NIC_STAGING_OFF, NIC_STAGING_ON };
enum nic_atomic { NIC_ATOMIC_NIC, NIC_ATOMIC_HOST };
enum nic_answer_policy { NIC_ANSWERS_IN_TURN, NIC_ANSWERS_FIRST, NIC_ANSWERS_LAST };
enum nic_doorbell_full { NIC_DOORBELL_FULL_WAIT, NIC_DOORBELL_FULL_DROP };
enum nic_doorbell_coalesce { NIC_DOORBELL_COALESCE_OFF, NIC_DOORBELL_COALESCE_ON };
enum nic_doorbell_record { NIC_DOORBELL_RECORD_OFF, NIC_DOORBELL_RECORD_ON };
enum nic_fabric { NIC_FABRIC_OFF, NIC_FABRIC_STREAM, NIC_FABRIC_MEMORY };
enum nic_grant { NIC_GRANT_STEP, NIC_GRANT_REQUEST };
enum nic_scheduler {
    NIC_SCHEDULER_RR,
    NIC_SCHEDULER_WRR,
    NIC_SCHEDULER_DRR,
    NIC_SCHEDULER_STRICT,
    NIC_SCHEDULER_WFQ
}; /* and of nic.class_scheduler */
enum nic_quantum_unit { NIC_QUANTUM_UNIT_PACKET, NIC_QUANTUM_UNIT_BYTE, NIC_QUANTUM_UNIT_MESSAGE };
enum nic_dispatch_place { NIC_DISPATCH_PLACE_DISPATCHED, NIC_DISPATCH_PLACE_WRITTEN };
enum nic_receive_cqe { NIC_RECEIVE_CQE_WITH_PAYLOAD, NIC_RECEIVE_CQE_WHEN_WRITTEN };
enum nic_phases { NIC_PHASES_GIVEN, NIC_PHASES_DRAWN };
enum nic_port_policy { NIC_PORT_ACK_FIRST, NIC_PORT_ROUND_ROBIN };

extern const struct param_table nic_param_table;

#endif
