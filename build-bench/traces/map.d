build-bench/traces/map.o: traces/map.c traces/map.h
traces/map.h:
