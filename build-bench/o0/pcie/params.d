build-bench/o0/pcie/params.o: pcie/params.c pcie/params.h \
 model/config/param.h model/config/config_error.h pcie/params.def
pcie/params.h:
model/config/param.h:
model/config/config_error.h:
pcie/params.def:
