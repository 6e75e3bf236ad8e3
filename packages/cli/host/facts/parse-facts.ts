/** Parsers for the output of macOS commands. Each returns undefined for unexpected output. */

export const macosFrom = (swVers: string): { readonly version: string; readonly build: string } | undefined => {
  const version = /^ProductVersion:\s*(\S+)/m.exec(swVers)?.[1];
  const build = /^BuildVersion:\s*(\S+)/m.exec(swVers)?.[1];
  return version === undefined || build === undefined ? undefined : { version, build };
};

/** Reads the boot time in seconds since 1970 by the host's clock, from `sysctl -n kern.boottime`. */
export const bootTimeFrom = (sysctl: string): number | undefined => numberIn(/sec = (\d+)/.exec(sysctl)?.[1]);

export interface DiskUsage {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** Parses the last line of `df -k`. The name of a file system may contain spaces, the numbers after it do not. */
export function diskFrom(df: string): DiskUsage | undefined {
  const [, total, free] = /\s(\d+)\s+\d+\s+(\d+)\s+\d+%[^\n]*$/.exec(df.trimEnd()) ?? [];
  return total === undefined || free === undefined
    ? undefined
    : { totalBytes: Number(total) * 1_024, freeBytes: Number(free) * 1_024 };
}

export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined;

/** Bounds of the host's clock skew in milliseconds. Positive values mean that the host is ahead of the local clock. */
export interface ClockSkew {
  readonly least: number;
  readonly most: number;
}

/** Bounds the skew: the host read `date +%s` between request and response, and the output omits fractions of a second. */
export const skewFrom = (hostSeconds: number, { asked, answered }: { asked: number; answered: number }): ClockSkew => ({
  least: hostSeconds * 1_000 - answered,
  most: hostSeconds * 1_000 + 1_000 - asked,
});
