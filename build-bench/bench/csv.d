build-bench/bench/csv.o: bench/csv.c bench/csv.h bench/result.h \
 bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h bench/collect.h \
 traces/map.h bench/latency.h bench/quantile.h traces/replay.h \
 bench/results.h bench/head.h bench/text.h
bench/csv.h:
bench/result.h:
bench/bottleneck.h:
model/api/rnicsim.h:
bench/waterfall.h:
bench/collect.h:
traces/map.h:
bench/latency.h:
bench/quantile.h:
traces/replay.h:
bench/results.h:
bench/head.h:
bench/text.h:
