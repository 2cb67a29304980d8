build-bench/o0/model/kernel/item.o: model/kernel/item.c \
 model/kernel/item.h
model/kernel/item.h:
