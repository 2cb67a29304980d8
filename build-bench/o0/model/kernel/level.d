build-bench/o0/model/kernel/level.o: model/kernel/level.c \
 model/kernel/level.h
model/kernel/level.h:
