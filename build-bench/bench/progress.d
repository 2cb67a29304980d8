build-bench/bench/progress.o: bench/progress.c bench/progress.h
bench/progress.h:
