build-bench/traces/binary_record.o: traces/binary_record.c \
 traces/binary.h traces/header.h traces/record.h model/api/rnicsim.h \
 traces/map.h traces/input.h traces/wire.h
traces/binary.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/input.h:
traces/wire.h:
