build-bench/o0/model/nic/message.o: model/nic/message.c \
 model/nic/message.h model/kernel/clk.h
model/nic/message.h:
model/kernel/clk.h:
