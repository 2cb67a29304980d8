build-bench/o0/model/config/param_number.o: model/config/param_number.c \
 model/config/param_number.h model/config/config_error.h
model/config/param_number.h:
model/config/config_error.h:
