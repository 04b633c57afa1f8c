#ifndef DRAWBRIDGE_CCRYPT_H
#define DRAWBRIDGE_CCRYPT_H
#include <crypt.h>
#endif
