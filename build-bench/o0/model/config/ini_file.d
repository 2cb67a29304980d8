build-bench/o0/model/config/ini_file.o: model/config/ini_file.c \
 model/config/ini_file.h model/config/config_error.h \
 model/config/config_text.h
model/config/ini_file.h:
model/config/config_error.h:
model/config/config_text.h:
