build-bench/o0/pcie/link.o: pcie/link.c pcie/link.h model/kernel/clk.h \
 pcie/params.h model/config/param.h model/config/config_error.h \
 pcie/params.def
pcie/link.h:
model/kernel/clk.h:
pcie/params.h:
model/config/param.h:
model/config/config_error.h:
pcie/params.def:
