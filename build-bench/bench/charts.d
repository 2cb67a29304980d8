build-bench/bench/charts.o: bench/charts.c bench/charts.h bench/result.h \
 bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h bench/collect.h \
 traces/map.h bench/latency.h bench/quantile.h traces/replay.h \
 bench/results.h bench/cli.h bench/head.h
bench/charts.h:
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
bench/cli.h:
bench/head.h:
