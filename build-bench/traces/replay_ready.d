build-bench/traces/replay_ready.o: traces/replay_ready.c \
 traces/replay_ready.h model/api/rnicsim.h
traces/replay_ready.h:
model/api/rnicsim.h:
