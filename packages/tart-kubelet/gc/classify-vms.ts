import type { GuestId } from '../guests/guest.ts';
import { guestKey, parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';

/** What is done with a VM. `wait`: its Pod's own worker removes it, and is given time to. */
type VmFate = 'report' | 'keep' | 'wait' | 'remove';

type Pod = 'wanted' | 'gone';
type Fates = Readonly<Record<Pod, VmFate>>;

/**
 * Total. A foreign VM is never removed, whatever else is true: somebody may be baking it right now (I28). A guest's
 * record is written before its VM exists and removed after it, so a VM of ours without one is a leftover. While its Pod
 * is here it stays all the same: were the records unreadable, this is what spares guests that run.
 */
export const vmFates: Readonly<Record<'foreign' | 'recorded' | 'unrecorded', Fates>> = {
  foreign: { wanted: 'report', gone: 'report' },
  recorded: { wanted: 'keep', gone: 'wait' },
  unrecorded: { wanted: 'keep', gone: 'remove' },
};

/** The host as the collector sees it. The VMs are listed first: what was recorded before they were listed is in `guests`. */
interface VmsSeen {
  readonly vms: readonly TartVm[];
  readonly guests: readonly GuestId[];
  readonly podUids: ReadonlySet<string>;
}

export interface JudgedVm extends TartVm {
  readonly fate: VmFate;
  /** Undefined for a foreign one. */
  readonly id: GuestId | undefined;
}

export function judgeVms({ vms, guests, podUids }: VmsSeen): JudgedVm[] {
  const recorded = new Set(guests.map(guestKey));
  return vms.map(vm => {
    const id = parseGuestName(vm.name);
    const row = id === undefined ? 'foreign' : recorded.has(guestKey(id)) ? 'recorded' : 'unrecorded';
    return { ...vm, id, fate: vmFates[row][id !== undefined && podUids.has(id.uid) ? 'wanted' : 'gone'] };
  });
}

/** Whose VMs take the places the kernel gives to running macOS guests. */
export interface VmSlots {
  readonly used: number;
  readonly foreign: number;
  readonly free: number;
}

/** Somebody else's: by the name alone, whatever records say. */
export const foreignVms = (vms: readonly TartVm[]): readonly TartVm[] =>
  vms.filter(({ name }) => parseGuestName(name) === undefined);

export function countSlots(vms: readonly TartVm[], places: number): VmSlots {
  const running = vms.filter(vm => vm.running);
  const foreign = foreignVms(running).length;
  return { used: running.length - foreign, foreign, free: Math.max(0, places - running.length) };
}
