#include <stdint.h>

int _NSGetExecutablePath(char *path, uint32_t *room);
