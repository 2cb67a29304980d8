build-bench/o0/model/config/config_text.o: model/config/config_text.c \
 model/config/config_text.h
model/config/config_text.h:
