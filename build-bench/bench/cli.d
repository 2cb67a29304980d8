build-bench/bench/cli.o: bench/cli.c bench/cli.h model/api/rnicsim.h
bench/cli.h:
model/api/rnicsim.h:
