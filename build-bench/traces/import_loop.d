build-bench/traces/import_loop.o: traces/import_loop.c \
 traces/import_loop.h traces/import.h model/api/rnicsim.h \
 traces/recorded.h traces/record.h traces/map.h traces/writer.h \
 traces/header.h
traces/import_loop.h:
traces/import.h:
model/api/rnicsim.h:
traces/recorded.h:
traces/record.h:
traces/map.h:
traces/writer.h:
traces/header.h:
