build-bench/model/nic/message.o: model/nic/message.c model/nic/message.h \
 model/kernel/clk.h
model/nic/message.h:
model/kernel/clk.h:
