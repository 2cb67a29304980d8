build-bench/traces/import.o: traces/import.c traces/import.h \
 model/api/rnicsim.h traces/import_loop.h traces/recorded.h \
 traces/record.h traces/map.h traces/writer.h traces/header.h
traces/import.h:
model/api/rnicsim.h:
traces/import_loop.h:
traces/recorded.h:
traces/record.h:
traces/map.h:
traces/writer.h:
traces/header.h:
