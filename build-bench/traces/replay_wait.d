build-bench/traces/replay_wait.o: traces/replay_wait.c \
 traces/replay_wait.h traces/record.h model/api/rnicsim.h traces/map.h
traces/replay_wait.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
