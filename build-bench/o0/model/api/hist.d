build-bench/o0/model/api/hist.o: model/api/hist.c model/kernel/hist.h \
 model/api/rnicsim.h
model/kernel/hist.h:
model/api/rnicsim.h:
