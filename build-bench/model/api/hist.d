build-bench/model/api/hist.o: model/api/hist.c model/kernel/hist.h \
 model/api/rnicsim.h
model/kernel/hist.h:
model/api/rnicsim.h:
