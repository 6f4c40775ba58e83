/* Returns the time in nanoseconds from the clock that Python's time.monotonic_ns reads, without the
 * interpreter lock. Returns 0 if the system refuses; no caller takes 0 for a time. */

#include <stdint.h>

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Python 3.13 and later read this counter too; the clock of older versions has steps of 16 ms. */
uint64_t masons_monotonic_ns(void)
{
    LARGE_INTEGER count, rate;
    if (!QueryPerformanceCounter(&count) || !QueryPerformanceFrequency(&rate))
        return 0;
    uint64_t ticks = (uint64_t)count.QuadPart, second = (uint64_t)rate.QuadPart;
    return ticks / second * 1000000000u + ticks % second * 1000000000u / second;
}

#else

#include <time.h>

#if defined(__APPLE__)
#define MASONS_CLOCK CLOCK_UPTIME_RAW /* mach_absolute_time, in nanoseconds */
#else
#define MASONS_CLOCK CLOCK_MONOTONIC
#endif

uint64_t masons_monotonic_ns(void)
{
    struct timespec now;
    if (clock_gettime(MASONS_CLOCK, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
