build-bench/o0/mac/line.o: mac/line.c mac/line.h model/kernel/clk.h \
 mac/params.h model/config/param.h model/config/config_error.h \
 mac/params.def
mac/line.h:
model/kernel/clk.h:
mac/params.h:
model/config/param.h:
model/config/config_error.h:
mac/params.def:
