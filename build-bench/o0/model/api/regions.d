build-bench/o0/model/api/regions.o: model/api/regions.c \
 model/api/regions.h model/api/rnicsim.h
model/api/regions.h:
model/api/rnicsim.h:
