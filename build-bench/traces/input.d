build-bench/traces/input.o: traces/input.c traces/input.h \
 model/api/rnicsim.h traces/record.h traces/map.h
traces/input.h:
model/api/rnicsim.h:
traces/record.h:
traces/map.h:
