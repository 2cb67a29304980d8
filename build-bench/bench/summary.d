build-bench/bench/summary.o: bench/summary.c bench/summary.h \
 bench/result.h bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h \
 bench/collect.h traces/map.h bench/latency.h bench/quantile.h \
 traces/replay.h
bench/summary.h:
bench/result.h:
bench/bottleneck.h:
model/api/rnicsim.h:
bench/waterfall.h:
bench/collect.h:
traces/map.h:
bench/latency.h:
bench/quantile.h:
traces/replay.h:
