build-bench/bench/collect.o: bench/collect.c bench/collect.h \
 model/api/rnicsim.h traces/map.h
bench/collect.h:
model/api/rnicsim.h:
traces/map.h:
