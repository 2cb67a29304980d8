build-bench/o0/model/kernel/hist.o: model/kernel/hist.c \
 model/kernel/hist.h
model/kernel/hist.h:
