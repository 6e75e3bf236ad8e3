/**
 * How a program of controllers is started so that it keeps little more memory than it uses. Its live heap is small (38 MB with
 * 400 machines), its garbage is not: V8 lets the heap grow for speed nobody needs here, and glibc keeps what was freed in arenas
 * of threads and below its own shifting threshold. Benchmark `provider` shows what it comes to.
 */
export const LEAN_PROCESS = {
  nodeFlags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  environment: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
} as const;
