build-bench/o0/model/kernel/sim.o: model/kernel/sim.c model/kernel/sim.h \
 model/kernel/clk.h model/kernel/reach.h model/kernel/rnd.h
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/reach.h:
model/kernel/rnd.h:
