/** A log may grow for a quarter of an hour before its turn comes; beyond this nobody rotates it. */
const PATIENCE = 4;

/** Which logs are far beyond their limit, from lines of `stat -f '%z %N'`. */
export function oversized(sizes: string, maxBytes: number): string[] {
  return sizes.split('\n').flatMap(line => {
    const [, size, log] = /^(\d+) (.+)$/.exec(line) ?? [];
    if (size === undefined || Number(size) <= maxBytes * PATIENCE) return [];
    return [`${log} holds ${size} bytes, wanted ${maxBytes} at most`];
  });
}
