build-bench/o0/model/kernel/arb.o: model/kernel/arb.c model/kernel/arb.h \
 model/kernel/stage.h model/kernel/fifo.h model/kernel/level.h \
 model/kernel/sim.h model/kernel/clk.h model/kernel/space.h
model/kernel/arb.h:
model/kernel/stage.h:
model/kernel/fifo.h:
model/kernel/level.h:
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/space.h:
