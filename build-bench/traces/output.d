build-bench/traces/output.o: traces/output.c traces/output.h \
 model/api/rnicsim.h traces/record.h traces/map.h
traces/output.h:
model/api/rnicsim.h:
traces/record.h:
traces/map.h:
