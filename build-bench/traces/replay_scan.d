build-bench/traces/replay_scan.o: traces/replay_scan.c \
 traces/replay_scan.h traces/header.h traces/record.h model/api/rnicsim.h \
 traces/map.h traces/reader.h
traces/replay_scan.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/reader.h:
