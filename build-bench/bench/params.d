build-bench/bench/params.o: bench/params.c bench/cli.h \
 model/api/rnicsim.h bench/commands.h bench/model_options.h
bench/cli.h:
model/api/rnicsim.h:
bench/commands.h:
bench/model_options.h:
