build-bench/o0/model/config/param.o: model/config/param.c \
 model/config/param.h model/config/config_error.h \
 model/config/config_text.h model/config/param_dist.h \
 model/config/param_number.h model/config/param_unit.h
model/config/param.h:
model/config/config_error.h:
model/config/config_text.h:
model/config/param_dist.h:
model/config/param_number.h:
model/config/param_unit.h:
