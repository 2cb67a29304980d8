build-bench/traces/convert.o: traces/convert.c traces/convert.h \
 model/api/rnicsim.h traces/reader.h traces/header.h traces/record.h \
 traces/map.h traces/writer.h
traces/convert.h:
model/api/rnicsim.h:
traces/reader.h:
traces/header.h:
traces/record.h:
traces/map.h:
traces/writer.h:
