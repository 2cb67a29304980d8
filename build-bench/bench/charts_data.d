build-bench/bench/charts_data.o: bench/charts_data.c bench/charts.h \
 bench/result.h bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h \
 bench/collect.h traces/map.h bench/latency.h bench/quantile.h \
 traces/replay.h bench/results.h
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
