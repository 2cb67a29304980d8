build-bench/traces/recorded.o: traces/recorded.c traces/recorded.h \
 traces/record.h model/api/rnicsim.h traces/map.h traces/input.h \
 traces/text.h
traces/recorded.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/input.h:
traces/text.h:
