#ifndef DRAWBRIDGE_CARGON2_H
#define DRAWBRIDGE_CARGON2_H
#include <argon2.h>
#endif
