/** What programs of a Mac say about it, read. Each gives undefined where the words are not the expected ones. */

export const macosFrom = (swVers: string): { readonly version: string; readonly build: string } | undefined => {
  const version = /^ProductVersion:\s*(\S+)/m.exec(swVers)?.[1];
  const build = /^BuildVersion:\s*(\S+)/m.exec(swVers)?.[1];
  return version === undefined || build === undefined ? undefined : { version, build };
};

/** Seconds since the epoch by the host's own clock, from `sysctl -n kern.boottime`. */
export const bootTimeFrom = (sysctl: string): number | undefined => numberIn(/sec = (\d+)/.exec(sysctl)?.[1]);

export interface DiskUsage {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** From the last line of `df -k`: the name of a file system may hold spaces, the numbers after it do not. */
export function diskFrom(df: string): DiskUsage | undefined {
  const [, total, free] = /\s(\d+)\s+\d+\s+(\d+)\s+\d+%[^\n]*$/.exec(df.trimEnd()) ?? [];
  return total === undefined || free === undefined
    ? undefined
    : { totalBytes: Number(total) * 1_024, freeBytes: Number(free) * 1_024 };
}

export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined;

/** How far the host's clock is from ours: somewhere between the two, in milliseconds; more than 0 is ahead of us. */
export interface ClockSkew {
  readonly least: number;
  readonly most: number;
}

/** `date +%s` was read somewhere between our asking and the answer, and leaves out the part of a second. */
export const skewFrom = (hostSeconds: number, { asked, answered }: { asked: number; answered: number }): ClockSkew => ({
  least: hostSeconds * 1_000 - answered,
  most: hostSeconds * 1_000 + 1_000 - asked,
});
