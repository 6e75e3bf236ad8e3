import { minutes, seconds } from '@minifleet/clock';
import { current, drift, type Finding, needsReboot, type StepDefinition } from '../../engine/step.ts';
import type { Host } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { type AllowListState, readAllowList } from './allow-list-state.ts';
import { HOST_ALLOW_LIST_INVALID } from './errors.ts';
import { isNetwork } from './is-network.ts';

export interface LocalNetworkWant {
  /** Networks every program may reach without anybody clicking Allow: `192.168.0.0/16`. */
  readonly addresses: readonly string[];
}

/**
 * The allow-list of Local Network privacy (macOS 15.5 and later). Without it a program in the session at the screen is
 * refused its own guests, silently: Packer waits for SSH for ever (I26).
 */
export const localNetwork = {
  id: 'local-network',
  title: 'Local Network allow-list',
  disturbs: 'nothing',
  needsReboot: true,
  timeout: minutes(1),
  // The preferences daemon writes to the disk a moment after it has answered.
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
      return ['took the Local Network allow-list off'];
    },
  },
} satisfies StepDefinition<LocalNetworkWant>;

/** `addresses` undefined: no list wanted. Written down as wanted is in force only if the Mac has booted since. */
export function allowListFinding(state: AllowListState, addresses: readonly string[] | undefined): Finding {
  const differences = Object.entries(state.lists).flatMap(([kind, present]) =>
    words(present) === words(addresses)
      ? []
      : [`the list for ${kind} is ${words(present) ?? 'not set'}, wanted ${words(addresses) ?? 'none'}`],
  );
  if (differences.length > 0) return drift(differences);
  if (state.written === undefined || state.written < state.booted) return current();
  return needsReboot('the list was changed after the last boot and counts from the next');
}

const words = (addresses: readonly string[] | undefined): string | undefined => addresses?.toSorted().join(' ');

const writeAllowList = (host: Host, addresses: readonly string[]): Promise<string> =>
  host.must(['/bin/sh', '-c', loadScript('local-network'), 'local-network', ...addresses], { root: true });
