build-bench/o0/model/host/host.o: model/host/host.c model/host/host.h \
 model/host/params.h model/config/param.h model/config/config_error.h \
 model/host/params.def
model/host/host.h:
model/host/params.h:
model/config/param.h:
model/config/config_error.h:
model/host/params.def:
