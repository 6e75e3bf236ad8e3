import { isIP } from 'node:net';
import { minutes, seconds } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { current, drift, type Finding, needsReboot, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostCommandResult, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

export const HOST_ALLOW_LIST_INVALID = defineError('HOST_ALLOW_LIST_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostAllowListInvalid',
  text: '{address}: {addresses} is not a list of networks; write each network as 192.168.0.0/16 or fd00::/8; nothing was changed',
});

const LONGEST: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** True for CIDR notation: `10.0.0.0/8`, `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [, base = '', prefix] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  return Number(prefix) <= (LONGEST[isIP(base)] ?? -1);
}

/** Preferences of macOS 15.5 and later (Apple's TN3179): networks that need no Local Network permission. */
export const ALLOW_LIST_DOMAIN = 'com.apple.network.local-network';
export const ALLOW_LIST_KEYS = {
  Ethernet: 'AllowedEthernetLocalNetworkAddresses',
  'Wi-Fi': 'AllowedWiFiLocalNetworkAddresses',
} as const;
/** Written by `sudo defaults write`; macOS reads it once, at boot. */
const FILE = `/var/root/Library/Preferences/${ALLOW_LIST_DOMAIN}.plist`;

/** Both lists on disk, and both times in seconds of the host's clock. */
interface AllowListState {
  readonly lists: Readonly<Record<keyof typeof ALLOW_LIST_KEYS, readonly string[] | undefined>>;
  /** Last write of the file; undefined without a file. */
  readonly written: number | undefined;
  readonly booted: number;
}

/**
 * Reads everything in one round trip. Reads the disk instead of `defaults`: the preferences daemon answers from memory
 * and writes a moment later, so only the file matches its modification time.
 */
async function readAllowList(host: HostView): Promise<AllowListState> {
  const root = { root: true };
  const list = (key: string): Promise<HostCommandResult> =>
    host.query(['/usr/bin/plutil', '-extract', key, 'json', '-o', '-', FILE], root);
  const [ethernet, wifi, written, booted] = await Promise.all([
    list(ALLOW_LIST_KEYS.Ethernet),
    list(ALLOW_LIST_KEYS['Wi-Fi']),
    host.query(['/usr/bin/stat', '-f', '%m', FILE], root),
    host.query(['/usr/sbin/sysctl', '-n', 'kern.boottime']),
  ]);
  return {
    lists: { Ethernet: addressesIn(ethernet), 'Wi-Fi': addressesIn(wifi) },
    written: written.exitCode === 0 ? Number(written.stdout) : undefined,
    booted: Number(/\bsec = (\d+)/.exec(booted.stdout)?.[1]),
  };
}

function addressesIn({ exitCode, stdout }: HostCommandResult): string[] | undefined {
  if (exitCode !== 0) return undefined;
  const value: unknown = JSON.parse(stdout);
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

interface LocalNetworkSettings {
  /** Networks that every program may reach without a click: `192.168.0.0/16`. */
  readonly addresses: readonly string[];
}

/**
 * Allow-list of Local Network privacy (macOS 15.5 and later). Without it macOS silently blocks programs in the GUI
 * session from their own guests: Packer waits for SSH forever (I26).
 */
export const localNetwork = {
  id: 'local-network',
  title: 'Local Network allow-list',
  disturbs: 'nothing',
  needsReboot: true,
  timeout: minutes(1),
  // The preferences daemon writes to disk a moment after it answers.
  settle: { within: seconds(15), every: seconds(1) },

  inspect: async (host, { addresses }) => allowListFinding(await readAllowList(host), addresses),

  async change(host, { addresses }) {
    if (addresses.length === 0 || !addresses.every(isNetwork)) {
      throw HOST_ALLOW_LIST_INVALID({ addresses: JSON.stringify(addresses), address: host.address });
    }
    await writeAllowList(host, addresses);
    return [];
  },

  removal: {
    inspect: async host => allowListFinding(await readAllowList(host), undefined),
    async change(host) {
      await writeAllowList(host, []);
      return ['removed the Local Network allow-list'];
    },
  },
} satisfies StepDefinition<LocalNetworkSettings>;

/** `addresses` undefined: no list desired. A written list is in effect only if the Mac has booted since. */
export function allowListFinding(state: AllowListState, addresses: readonly string[] | undefined): Finding {
  const differences = Object.entries(state.lists).flatMap(([kind, present]) =>
    words(present) === words(addresses)
      ? []
      : [`the allow-list for ${kind} is ${words(present) ?? 'not set'}, expected ${words(addresses) ?? 'none'}`],
  );
  if (differences.length > 0) return drift(differences);
  if (state.written === undefined || state.written < state.booted) return current();
  return needsReboot('the allow-list changed after the last boot and takes effect at the next boot');
}

const words = (addresses: readonly string[] | undefined): string | undefined => addresses?.toSorted().join(' ');

const writeAllowList = (host: Host, addresses: readonly string[]): Promise<string> =>
  host.must(['/bin/sh', '-c', loadScript('local-network'), 'local-network', ...addresses], { root: true });
