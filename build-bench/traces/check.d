build-bench/traces/check.o: traces/check.c traces/check.h \
 model/api/rnicsim.h traces/reader.h traces/header.h traces/record.h \
 traces/map.h
traces/check.h:
model/api/rnicsim.h:
traces/reader.h:
traces/header.h:
traces/record.h:
traces/map.h:
