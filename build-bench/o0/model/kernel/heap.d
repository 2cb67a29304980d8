build-bench/o0/model/kernel/heap.o: model/kernel/heap.c \
 model/kernel/heap.h
model/kernel/heap.h:
