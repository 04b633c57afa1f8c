#ifndef DRAWBRIDGE_CSQLITE_H
#define DRAWBRIDGE_CSQLITE_H
#include <sqlite3.h>
// Variadic in SQLite, so not imported by Swift.
static inline int csqlite_config_multithread(void) { return sqlite3_config(SQLITE_CONFIG_MULTITHREAD); }
static inline int csqlite_config_no_memstatus(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
#endif
