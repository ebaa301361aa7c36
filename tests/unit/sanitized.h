/* A long test that repeats one code path repeats it less often with sanitizers, which are ten times as slow. */
#ifndef TMAP_TESTS_SANITIZED_H
#define TMAP_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED)
#define SANITIZED 0
#endif

#endif
