build-bench/bench/run.o: bench/run.c bench/charts.h bench/result.h \
 bench/bottleneck.h model/api/rnicsim.h bench/waterfall.h bench/collect.h \
 traces/map.h bench/latency.h bench/quantile.h traces/replay.h \
 bench/results.h bench/cli.h bench/commands.h bench/csv.h bench/digest.h \
 bench/model_options.h bench/progress.h bench/summary.h bench/text.h
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
bench/commands.h:
bench/csv.h:
bench/digest.h:
bench/model_options.h:
bench/progress.h:
bench/summary.h:
bench/text.h:
