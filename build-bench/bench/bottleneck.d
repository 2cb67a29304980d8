build-bench/bench/bottleneck.o: bench/bottleneck.c bench/bottleneck.h \
 model/api/rnicsim.h bench/waterfall.h bench/collect.h traces/map.h
bench/bottleneck.h:
model/api/rnicsim.h:
bench/waterfall.h:
bench/collect.h:
traces/map.h:
