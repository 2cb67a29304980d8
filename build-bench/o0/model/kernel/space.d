build-bench/o0/model/kernel/space.o: model/kernel/space.c \
 model/kernel/space.h model/kernel/sim.h model/kernel/clk.h
model/kernel/space.h:
model/kernel/sim.h:
model/kernel/clk.h:
