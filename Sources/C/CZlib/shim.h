#ifndef DRAWBRIDGE_CZLIB_H
#define DRAWBRIDGE_CZLIB_H
#include <zlib.h>
#endif
