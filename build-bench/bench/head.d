build-bench/bench/head.o: bench/head.c bench/head.h bench/result.h \
 bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h bench/collect.h \
 traces/map.h bench/latency.h bench/quantile.h traces/replay.h
bench/head.h:
bench/result.h:
bench/bottleneck.h:
model/api/rnicsim.h:
bench/waterfall.h:
bench/collect.h:
traces/map.h:
bench/latency.h:
bench/quantile.h:
traces/replay.h:
