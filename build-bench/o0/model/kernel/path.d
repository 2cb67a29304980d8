build-bench/o0/model/kernel/path.o: model/kernel/path.c \
 model/kernel/path.h model/kernel/stage.h model/kernel/fifo.h \
 model/kernel/level.h model/kernel/sim.h model/kernel/clk.h \
 model/kernel/space.h
model/kernel/path.h:
model/kernel/stage.h:
model/kernel/fifo.h:
model/kernel/level.h:
model/kernel/sim.h:
model/kernel/clk.h:
model/kernel/space.h:
