build-bench/bench/model_options.o: bench/model_options.c \
 bench/model_options.h model/api/rnicsim.h bench/cli.h
bench/model_options.h:
model/api/rnicsim.h:
bench/cli.h:
