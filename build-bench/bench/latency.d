build-bench/bench/latency.o: bench/latency.c bench/latency.h \
 bench/quantile.h model/api/rnicsim.h
bench/latency.h:
bench/quantile.h:
model/api/rnicsim.h:
