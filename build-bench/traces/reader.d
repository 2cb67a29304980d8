build-bench/traces/reader.o: traces/reader.c traces/reader.h \
 traces/header.h traces/record.h model/api/rnicsim.h traces/map.h \
 traces/binary.h traces/input.h traces/csv.h traces/rules.h
traces/reader.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/binary.h:
traces/input.h:
traces/csv.h:
traces/rules.h:
