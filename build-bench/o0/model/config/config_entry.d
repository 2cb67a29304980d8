build-bench/o0/model/config/config_entry.o: model/config/config_entry.c \
 model/config/config_entry.h model/config/config.h model/config/param.h \
 model/config/config_error.h model/config/ini_file.h \
 model/config/config_nearest.h model/config/config_text.h
model/config/config_entry.h:
model/config/config.h:
model/config/param.h:
model/config/config_error.h:
model/config/ini_file.h:
model/config/config_nearest.h:
model/config/config_text.h:
