build-bench/traces/header.o: traces/header.c traces/header.h \
 traces/record.h model/api/rnicsim.h traces/map.h
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
