build-bench/o0/model/kernel/reach.o: model/kernel/reach.c \
 model/kernel/reach.h model/kernel/sim.h model/kernel/clk.h
model/kernel/reach.h:
model/kernel/sim.h:
model/kernel/clk.h:
