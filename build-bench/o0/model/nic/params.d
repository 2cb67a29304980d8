build-bench/o0/model/nic/params.o: model/nic/params.c model/nic/params.h \
 model/config/param.h model/config/config_error.h model/nic/params.def
model/nic/params.h:
model/config/param.h:
model/config/config_error.h:
model/nic/params.def:
