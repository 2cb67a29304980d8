build-bench/o0/model/config/config_slot.o: model/config/config_slot.c \
 model/config/config_internal.h model/config/config.h \
 model/config/param.h model/config/config_error.h \
 model/config/config_entry.h model/config/ini_file.h \
 model/config/config_nearest.h model/config/config_text.h
model/config/config_internal.h:
model/config/config.h:
model/config/param.h:
model/config/config_error.h:
model/config/config_entry.h:
model/config/ini_file.h:
model/config/config_nearest.h:
model/config/config_text.h:
