build-bench/o0/transport/params.o: transport/params.c transport/params.h \
 model/config/param.h model/config/config_error.h transport/params.def
transport/params.h:
model/config/param.h:
model/config/config_error.h:
transport/params.def:
