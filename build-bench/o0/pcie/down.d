build-bench/o0/pcie/down.o: pcie/down.c pcie/pcie.h model/kernel/fifo.h \
 model/kernel/level.h model/kernel/sim.h model/kernel/clk.h \
 model/kernel/space.h model/kernel/heap.h model/kernel/rnd.h \
 pcie/params.h model/config/param.h model/config/config_error.h \
 pcie/params.def pcie/tlp.h
pcie/pcie.h:
model/kernel/fifo.h:
model/kernel/level.h:
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/space.h:
model/kernel/heap.h:
model/kernel/rnd.h:
pcie/params.h:
model/config/param.h:
model/config/config_error.h:
pcie/params.def:
pcie/tlp.h:
