build-bench/o0/model/kernel/rnd.o: model/kernel/rnd.c model/kernel/rnd.h
model/kernel/rnd.h:
