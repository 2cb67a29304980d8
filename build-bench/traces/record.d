build-bench/traces/record.o: traces/record.c traces/record.h \
 model/api/rnicsim.h traces/map.h
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
