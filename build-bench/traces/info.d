build-bench/traces/info.o: traces/info.c traces/info.h \
 model/api/rnicsim.h traces/reader.h traces/header.h traces/record.h \
 traces/map.h
traces/info.h:
model/api/rnicsim.h:
traces/reader.h:
traces/header.h:
traces/record.h:
traces/map.h:
