build-bench/o0/model/kernel/fifo.o: model/kernel/fifo.c \
 model/kernel/fifo.h model/kernel/level.h model/kernel/sim.h \
 model/kernel/clk.h model/kernel/space.h model/kernel/stage.h
model/kernel/fifo.h:
model/kernel/level.h:
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/space.h:
model/kernel/stage.h:
