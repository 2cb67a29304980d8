build-bench/traces/replay_source.o: traces/replay_source.c \
 traces/replay_source.h traces/reader.h traces/header.h traces/record.h \
 model/api/rnicsim.h traces/map.h traces/replay_scan.h
traces/replay_source.h:
traces/reader.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/replay_scan.h:
