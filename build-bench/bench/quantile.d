build-bench/bench/quantile.o: bench/quantile.c bench/quantile.h \
 model/api/rnicsim.h
bench/quantile.h:
model/api/rnicsim.h:
