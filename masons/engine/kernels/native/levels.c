/* The choice of a level: the library has machine code for x86-64-v2, -v3 and -v4, or for one of them.
 * The build copies this file into masons.c, after the definitions of MASONS_HAS_LEVELS,
 * MASONS_BEST_LEVEL, MASONS_LEAST_LEVEL and MASONS_IS_LEVEL. */

#if MASONS_HAS_LEVELS
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static void ask_processor(unsigned leaf, unsigned answer[4])
{
    int most[4], now[4];
    __cpuid(most, leaf & 0x80000000u);
    __cpuidex(now, leaf, 0);
    for (int i = 0; i < 4; i++)
        answer[i] = (unsigned)most[0] >= leaf ? (unsigned)now[i] : 0;
}
static unsigned saved_registers(void) { return (unsigned)_xgetbv(0); }
#else
#include <cpuid.h>
static void ask_processor(unsigned leaf, unsigned answer[4])
{
    if (!__get_cpuid_count(leaf, 0, &answer[0], &answer[1], &answer[2], &answer[3]))
        answer[0] = answer[1] = answer[2] = answer[3] = 0;
}
static unsigned saved_registers(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}
#endif
/* The best level of the processor, or 0 if it has none of them.
 *
 * Ask the processor itself. The functions that compilers have for this differ in the features that
 * they know, and some compilers on Windows have none. Without a check for lzcnt, the machine code
 * could count wrongly without any error. */
static int processor_level(void)
{
    unsigned first[4], seventh[4], more[4];
    ask_processor(1, first);
    ask_processor(7, seventh);
    ask_processor(0x80000001u, more);
    unsigned fma = first[2] >> 12, sse42 = first[2] >> 20, movbe = first[2] >> 22;
    unsigned popcnt = first[2] >> 23, osxsave = first[2] >> 27, f16c = first[2] >> 29;
    unsigned bmi = seventh[1] >> 3, avx2 = seventh[1] >> 5, bmi2 = seventh[1] >> 8;
    unsigned lzcnt = more[2] >> 5;
    if (!(sse42 & popcnt & 1))
        return 0;
    if (!(fma & movbe & osxsave & f16c & bmi & avx2 & bmi2 & lzcnt & 1))
        return 2;
    /* The system must save the 256-bit registers; below, the 512-bit registers. */
    if ((saved_registers() & 6) != 6)
        return 2;
    unsigned avx512f = seventh[1] >> 16, avx512dq = seventh[1] >> 17, avx512cd = seventh[1] >> 28;
    unsigned avx512bw = seventh[1] >> 30, avx512vl = seventh[1] >> 31;
    if (!(avx512f & avx512dq & avx512cd & avx512bw & avx512vl & 1))
        return 3;
    return (saved_registers() & 0xe0) == 0xe0 ? 4 : 3;
}
#else
static int processor_level(void) { return 1; }
#endif

static int level = -1;

int masons_level(void)
{
    if (level < 0) {
        level = processor_level();
        if (level > MASONS_BEST_LEVEL)
            level = MASONS_BEST_LEVEL;
        if (level < MASONS_LEAST_LEVEL)
            level = 0;
    }
    return level;
}

int masons_use(int wanted)
{
    if (MASONS_IS_LEVEL(wanted) && wanted <= processor_level())
        level = wanted;
    return level == wanted;
}
