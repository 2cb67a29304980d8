build-bench/o0/model/host/params.o: model/host/params.c \
 model/host/params.h model/config/param.h model/config/config_error.h \
 model/host/params.def
model/host/params.h:
model/config/param.h:
model/config/config_error.h:
model/host/params.def:
