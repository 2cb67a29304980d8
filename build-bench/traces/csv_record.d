build-bench/traces/csv_record.o: traces/csv_record.c traces/csv.h \
 traces/record.h model/api/rnicsim.h traces/map.h traces/text.h
traces/csv.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/text.h:
