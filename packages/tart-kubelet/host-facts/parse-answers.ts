/** Reads what macOS commands print. An answer that is missing or garbled is undefined, never a wrong value. */

export interface MacosVersion {
  readonly version: string;
  readonly build: string;
}

export function parseSwVers(text: string): MacosVersion | undefined {
  const version = /^ProductVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  const build = /^BuildVersion:\s*(\S+)\s*$/m.exec(text)?.[1];
  return version && build ? { version, build } : undefined;
}

/** `name: value` lines. A name this kernel does not know is only missing: sysctl still prints the others. */
export function parseSysctl(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/^([\w.]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The UUID Apple gives the hardware, from `ioreg -rd1 -c IOPlatformExpertDevice`: it outlives a reinstallation. */
export const parsePlatformUuid = (text: string): string | undefined =>
  /"IOPlatformUUID" = "([0-9A-Fa-f-]{36})"/.exec(text)?.[1]?.toLowerCase();

export function parsePositive(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** The second the kernel started, from `kern.boottime`: `{ sec = 1783850000, usec = 12 } Sun Jul 12 …`. */
export const parseBootSecond = (text: string | undefined): string | undefined => /sec = (\d+)/.exec(text ?? '')?.[1];

/** How many processes there are, from `ps -axo pid=`. */
export const countProcesses = (text: string): number | undefined => text.match(/^\s*\d+\s*$/gm)?.length;

/** The first IPv4 address of `tailscale ip -4`. */
export const parseTailscaleIp = (text: string): string | undefined => /^\d+\.\d+\.\d+\.\d+$/m.exec(text)?.[0];
