build-bench/bench/waterfall.o: bench/waterfall.c bench/waterfall.h \
 bench/collect.h model/api/rnicsim.h traces/map.h
bench/waterfall.h:
bench/collect.h:
model/api/rnicsim.h:
traces/map.h:
