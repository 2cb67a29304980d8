build-bench/bench/trace.o: bench/trace.c bench/cli.h model/api/rnicsim.h \
 bench/commands.h traces/check.h traces/convert.h traces/import.h \
 traces/info.h
bench/cli.h:
model/api/rnicsim.h:
bench/commands.h:
traces/check.h:
traces/convert.h:
traces/import.h:
traces/info.h:
