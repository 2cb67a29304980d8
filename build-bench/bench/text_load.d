build-bench/bench/text_load.o: bench/text_load.c bench/text.h \
 bench/result.h bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h \
 bench/collect.h traces/map.h bench/latency.h bench/quantile.h \
 traces/replay.h bench/cli.h
bench/text.h:
bench/result.h:
bench/bottleneck.h:
model/api/rnicsim.h:
bench/waterfall.h:
bench/collect.h:
traces/map.h:
bench/latency.h:
bench/quantile.h:
traces/replay.h:
bench/cli.h:
