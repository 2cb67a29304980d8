build-bench/o0/mac/params.o: mac/params.c mac/params.h \
 model/config/param.h model/config/config_error.h mac/params.def
mac/params.h:
model/config/param.h:
model/config/config_error.h:
mac/params.def:
