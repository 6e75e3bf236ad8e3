/**
 * Node flags and environment that reduce the memory of a controller program. The live heap is small (38 MB with 400 machines), but
 * V8 lets the heap grow for speed that controllers do not need, and glibc keeps freed memory in arenas of threads and below its own
 * dynamic threshold. The benchmark `provider` measures the effect.
 */
export const LEAN_PROCESS = {
  nodeFlags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  environment: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' },
} as const;
