build-bench/bench/digest.o: bench/digest.c bench/digest.h bench/cli.h \
 model/api/rnicsim.h
bench/digest.h:
bench/cli.h:
model/api/rnicsim.h:
