build-bench/bench/main.o: bench/main.c bench/cli.h model/api/rnicsim.h \
 bench/commands.h
bench/cli.h:
model/api/rnicsim.h:
bench/commands.h:
