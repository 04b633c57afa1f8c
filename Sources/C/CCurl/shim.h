#ifndef DRAWBRIDGE_CCURL_H
#define DRAWBRIDGE_CCURL_H
#include <curl/curl.h>
#include <pthread.h>
// libcurl's option calls are variadic, so Swift cannot call them.
typedef size_t (*ccurl_data)(char *, size_t, size_t, void *);
static inline CURLcode ccurl_set_string(CURL *c, CURLoption o, const char *v) { return curl_easy_setopt(c, o, v); }
static inline CURLcode ccurl_set_long(CURL *c, CURLoption o, long v) { return curl_easy_setopt(c, o, v); }
static inline CURLcode ccurl_set_size(CURL *c, CURLoption o, curl_off_t v) { return curl_easy_setopt(c, o, v); }
static inline CURLcode ccurl_set_pointer(CURL *c, CURLoption o, void *v) { return curl_easy_setopt(c, o, v); }
static inline CURLcode ccurl_set_data(CURL *c, CURLoption o, ccurl_data v) { return curl_easy_setopt(c, o, v); }
static inline CURLcode ccurl_get_long(CURL *c, CURLINFO i, long *v) { return curl_easy_getinfo(c, i, v); }
static inline CURLcode ccurl_get_pointer(CURL *c, CURLINFO i, void **v) { return curl_easy_getinfo(c, i, v); }
static inline CURLMcode ccurl_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
// A GNU function; defining _GNU_SOURCE here would give this module other system types than Glibc's.
int pthread_setname_np(pthread_t, const char *);
static inline void ccurl_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }
#endif
