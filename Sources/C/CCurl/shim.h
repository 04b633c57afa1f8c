#ifndef DRAWBRIDGE_CCURL_H
#define DRAWBRIDGE_CCURL_H
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
// libcurl is opened when the first outgoing call needs it: linked in, it and the thirty libraries behind it would cost
// every start some 10 ms and 5 MB (docs/decisions/0006). Its option calls are variadic besides, so Swift cannot call
// them. Each call below looks its function up by name; outgoing calls are rare enough.
static inline void *ccurl_library(void) { return dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL); }
static inline void *ccurl_symbol(const char *name) {
    static void *library;
    void *open = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (!open) { open = ccurl_library(); __atomic_store_n(&library, open, __ATOMIC_RELEASE); }
    return open ? dlsym(open, name) : 0;
}
#define CCURL(name) ((__typeof__(&name))ccurl_symbol(#name))
// Whether the library is there. The others may be called only when it is.
static inline int ccurl_is_there(void) { return ccurl_symbol("curl_multi_poll") != 0; }
static inline CURLcode ccurl_global_init(long flags) { return CCURL(curl_global_init)(flags); }
static inline CURL *ccurl_easy_init(void) { return CCURL(curl_easy_init)(); }
static inline void ccurl_easy_cleanup(CURL *c) { CCURL(curl_easy_cleanup)(c); }
static inline const char *ccurl_easy_strerror(CURLcode c) { return CCURL(curl_easy_strerror)(c); }
static inline CURLM *ccurl_multi_init(void) { return CCURL(curl_multi_init)(); }
static inline CURLMcode ccurl_multi_cleanup(CURLM *m) { return CCURL(curl_multi_cleanup)(m); }
static inline CURLMcode ccurl_multi_add_handle(CURLM *m, CURL *c) { return CCURL(curl_multi_add_handle)(m, c); }
static inline CURLMcode ccurl_multi_remove_handle(CURLM *m, CURL *c) { return CCURL(curl_multi_remove_handle)(m, c); }
static inline CURLMcode ccurl_multi_perform(CURLM *m, int *n) { return CCURL(curl_multi_perform)(m, n); }
static inline CURLMcode ccurl_multi_poll(CURLM *m, int ms) { return CCURL(curl_multi_poll)(m, 0, 0, ms, 0); }
static inline CURLMcode ccurl_multi_wakeup(CURLM *m) { return CCURL(curl_multi_wakeup)(m); }
static inline CURLMsg *ccurl_multi_info_read(CURLM *m, int *n) { return CCURL(curl_multi_info_read)(m, n); }
typedef struct curl_slist ccurl_list;
static inline ccurl_list *ccurl_slist_append(ccurl_list *l, const char *s) { return CCURL(curl_slist_append)(l, s); }
static inline void ccurl_slist_free_all(ccurl_list *l) { CCURL(curl_slist_free_all)(l); }
typedef size_t (*ccurl_data)(char *, size_t, size_t, void *);
static inline CURLcode ccurl_set_string(CURL *c, CURLoption o, const char *v) { return CCURL(curl_easy_setopt)(c, o, v); }
static inline CURLcode ccurl_set_long(CURL *c, CURLoption o, long v) { return CCURL(curl_easy_setopt)(c, o, v); }
static inline CURLcode ccurl_set_size(CURL *c, CURLoption o, curl_off_t v) { return CCURL(curl_easy_setopt)(c, o, v); }
static inline CURLcode ccurl_set_pointer(CURL *c, CURLoption o, void *v) { return CCURL(curl_easy_setopt)(c, o, v); }
static inline CURLcode ccurl_set_data(CURL *c, CURLoption o, ccurl_data v) { return CCURL(curl_easy_setopt)(c, o, v); }
static inline CURLcode ccurl_get_long(CURL *c, CURLINFO i, long *v) { return CCURL(curl_easy_getinfo)(c, i, v); }
// A GNU function; defining _GNU_SOURCE here would give this module other system types than Glibc's.
int pthread_setname_np(pthread_t, const char *);
static inline void ccurl_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }
#endif
