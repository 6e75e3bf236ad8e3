import type { HostView, Ran } from '../../host.ts';

/** Preferences of macOS 15.5 and later (Apple's TN3179): networks that count as local for no program. */
export const ALLOW_LIST_DOMAIN = 'com.apple.network.local-network';
export const ALLOW_LIST_KEYS = {
  Ethernet: 'AllowedEthernetLocalNetworkAddresses',
  'Wi-Fi': 'AllowedWiFiLocalNetworkAddresses',
} as const;
/** `sudo defaults write` lands here, and macOS reads it from here, once, at boot. */
const FILE = `/var/root/Library/Preferences/${ALLOW_LIST_DOMAIN}.plist`;

/** The two lists as they lie on the disk, and both times by the host's own clock, in seconds. */
export interface AllowListState {
  readonly lists: Readonly<Record<keyof typeof ALLOW_LIST_KEYS, readonly string[] | undefined>>;
  /** When the file was last written; undefined without a file. */
  readonly written: number | undefined;
  readonly booted: number;
}

/**
 * In one round trip. From the disk rather than through `defaults`: the preferences daemon answers from memory and writes
 * a moment later, so only the file itself goes with its own time.
 */
export async function readAllowList(host: HostView): Promise<AllowListState> {
  const root = { root: true };
  const list = (key: string): Promise<Ran> =>
    host.look(['/usr/bin/plutil', '-extract', key, 'json', '-o', '-', FILE], root);
  const [ethernet, wifi, written, booted] = await Promise.all([
    list(ALLOW_LIST_KEYS.Ethernet),
    list(ALLOW_LIST_KEYS['Wi-Fi']),
    host.look(['/usr/bin/stat', '-f', '%m', FILE], root),
    host.look(['/usr/sbin/sysctl', '-n', 'kern.boottime']),
  ]);
  return {
    lists: { Ethernet: addressesIn(ethernet), 'Wi-Fi': addressesIn(wifi) },
    written: written.exitCode === 0 ? Number(written.stdout) : undefined,
    booted: Number(/\bsec = (\d+)/.exec(booted.stdout)?.[1]),
  };
}

function addressesIn({ exitCode, stdout }: Ran): string[] | undefined {
  if (exitCode !== 0) return undefined;
  const value: unknown = JSON.parse(stdout);
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
