build-bench/traces/rules.o: traces/rules.c traces/rules.h traces/header.h \
 traces/record.h model/api/rnicsim.h traces/map.h
traces/rules.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
