build-bench/o0/model/config/config_error.o: model/config/config_error.c \
 model/config/config_error.h
model/config/config_error.h:
