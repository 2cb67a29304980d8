build-bench/o0/model/kernel/clk.o: model/kernel/clk.c model/kernel/clk.h
model/kernel/clk.h:
