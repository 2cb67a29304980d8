build-bench/traces/text.o: traces/text.c traces/text.h traces/record.h \
 model/api/rnicsim.h traces/map.h
traces/text.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
