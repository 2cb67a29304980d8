build-bench/o0/model/nic/receive.o: model/nic/receive.c model/nic/rnic.h \
 model/host/host.h model/host/params.h model/config/param.h \
 model/config/config_error.h model/host/params.def model/kernel/arb.h \
 model/kernel/stage.h model/kernel/fifo.h model/kernel/level.h \
 model/kernel/sim.h model/kernel/clk.h model/kernel/space.h \
 model/kernel/heap.h model/kernel/item.h model/kernel/path.h mac/line.h \
 mac/params.h mac/params.def model/nic/message.h model/nic/outbox.h \
 model/nic/params.h model/nic/params.def model/nic/qp.h \
 transport/requester.h transport/params.h transport/params.def \
 transport/psn.h transport/responder.h pcie/pcie.h model/kernel/rnd.h \
 pcie/params.h pcie/params.def transport/frame.h
model/nic/rnic.h:
model/host/host.h:
model/host/params.h:
model/config/param.h:
model/config/config_error.h:
model/host/params.def:
model/kernel/arb.h:
model/kernel/stage.h:
model/kernel/fifo.h:
model/kernel/level.h:
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/space.h:
model/kernel/heap.h:
model/kernel/item.h:
model/kernel/path.h:
mac/line.h:
mac/params.h:
mac/params.def:
model/nic/message.h:
model/nic/outbox.h:
model/nic/params.h:
model/nic/params.def:
model/nic/qp.h:
transport/requester.h:
transport/params.h:
transport/params.def:
transport/psn.h:
transport/responder.h:
pcie/pcie.h:
model/kernel/rnd.h:
pcie/params.h:
pcie/params.def:
transport/frame.h:
