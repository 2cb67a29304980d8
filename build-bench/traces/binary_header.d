build-bench/traces/binary_header.o: traces/binary_header.c \
 traces/binary.h traces/header.h traces/record.h model/api/rnicsim.h \
 traces/map.h traces/input.h traces/wire.h
traces/binary.h:
traces/header.h:
traces/record.h:
model/api/rnicsim.h:
traces/map.h:
traces/input.h:
traces/wire.h:
