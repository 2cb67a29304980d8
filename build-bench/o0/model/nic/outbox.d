build-bench/o0/model/nic/outbox.o: model/nic/outbox.c model/nic/outbox.h \
 model/kernel/heap.h model/kernel/sim.h model/kernel/clk.h
model/nic/outbox.h:
model/kernel/heap.h:
model/kernel/sim.h:
model/kernel/clk.h:
