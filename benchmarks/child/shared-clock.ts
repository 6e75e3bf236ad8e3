/**
 * Milliseconds since the machine started, with fractions: the one clock that all processes of a machine share
 * (CLOCK_MONOTONIC on Linux, mach_absolute_time on macOS), so a moment noted in one may be compared with one in another.
 */
export const sharedClock = (): number => Number(process.hrtime.bigint()) / 1e6;
