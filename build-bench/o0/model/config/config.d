build-bench/o0/model/config/config.o: model/config/config.c \
 model/config/config.h model/config/param.h model/config/config_error.h \
 model/config/config_internal.h model/config/config_entry.h \
 model/config/ini_file.h model/config/config_nearest.h \
 model/config/config_text.h
model/config/config.h:
model/config/param.h:
model/config/config_error.h:
model/config/config_internal.h:
model/config/config_entry.h:
model/config/ini_file.h:
model/config/config_nearest.h:
model/config/config_text.h:
