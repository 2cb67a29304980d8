#include "config/config_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int config_error_set(struct config_error *err, const char *format, ...)
{
    struct config_error line;
    va_list arguments;

    if (err == NULL)
        return -1;
    va_start(arguments, format);
    vsnprintf(line.text, sizeof(line.text), format, arguments);
    va_end(arguments);
    for (char *at = line.text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    memcpy(err->text, line.text, sizeof(err->text));
    return -1;
}
