build-bench/traces/writer.o: traces/writer.c traces/writer.h \
 traces/header.h traces/record.h model/api/rnicsim.h traces/map.h \
 traces/binary.h traces/input.h traces/csv.h traces/output.h \
 traces/rules.h
traces/writer.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/binary.h:
traces/input.h:
traces/csv.h:
traces/output.h:
traces/rules.h:
