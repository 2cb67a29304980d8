build-bench/o0/model/system/configure.o: model/system/configure.c \
 model/host/params.h model/config/param.h model/config/config_error.h \
 model/host/params.def mac/params.h mac/params.def model/nic/params.h \
 model/nic/params.def pcie/params.h pcie/params.def model/system/system.h \
 model/config/config.h model/nic/rnic.h model/host/host.h \
 model/kernel/arb.h model/kernel/stage.h model/kernel/fifo.h \
 model/kernel/level.h model/kernel/sim.h model/kernel/clk.h \
 model/kernel/space.h model/kernel/heap.h model/kernel/item.h \
 model/kernel/path.h mac/line.h model/nic/message.h model/nic/outbox.h \
 model/nic/qp.h transport/requester.h transport/params.h \
 transport/params.def transport/psn.h transport/responder.h pcie/pcie.h \
 model/kernel/rnd.h
model/host/params.h:
model/config/param.h:
model/config/config_error.h:
model/host/params.def:
mac/params.h:
mac/params.def:
model/nic/params.h:
model/nic/params.def:
pcie/params.h:
pcie/params.def:
model/system/system.h:
model/config/config.h:
model/nic/rnic.h:
model/host/host.h:
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
model/nic/message.h:
model/nic/outbox.h:
model/nic/qp.h:
transport/requester.h:
transport/params.h:
transport/params.def:
transport/psn.h:
transport/responder.h:
pcie/pcie.h:
model/kernel/rnd.h:
