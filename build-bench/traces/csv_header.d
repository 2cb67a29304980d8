build-bench/traces/csv_header.o: traces/csv_header.c traces/csv.h \
 traces/record.h model/api/rnicsim.h traces/map.h traces/header.h \
 traces/text.h
traces/csv.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/header.h:
traces/text.h:
