build-bench/traces/replay.o: traces/replay.c traces/replay.h \
 model/api/rnicsim.h traces/replay_ready.h traces/replay_source.h \
 traces/reader.h traces/header.h traces/record.h traces/map.h \
 traces/replay_scan.h traces/replay_wait.h
traces/replay.h:
model/api/rnicsim.h:
traces/replay_ready.h:
traces/replay_source.h:
traces/reader.h:
traces/header.h:
traces/record.h:
traces/map.h:
traces/replay_scan.h:
traces/replay_wait.h:
