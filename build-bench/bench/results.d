build-bench/bench/results.o: bench/results.c bench/results.h bench/cli.h \
 model/api/rnicsim.h
bench/results.h:
bench/cli.h:
model/api/rnicsim.h:
