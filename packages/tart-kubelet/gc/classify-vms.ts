import type { GuestId } from '../guests/guest.ts';
import { guestKey, parseGuestName } from '../guests/guest-name.ts';
import type { TartVm } from '../guests/tart.ts';

/** Decision about a VM. `wait`: the worker of its Pod removes it and is given time to do so. */
type VmDecision = 'report' | 'keep' | 'wait' | 'remove';

type PodPresence = 'bound' | 'gone';
type VmDecisions = Readonly<Record<PodPresence, VmDecision>>;

/**
 * Total. A foreign VM is never removed: an image build may be using it right now (I28). A guest's record is written
 * before its VM exists and removed after it, so an owned VM without a record is a leftover. It stays while its Pod
 * exists: if the records were unreadable, this rule protects running guests.
 */
export const vmDecisions: Readonly<Record<'foreign' | 'recorded' | 'unrecorded', VmDecisions>> = {
  foreign: { bound: 'report', gone: 'report' },
  recorded: { bound: 'keep', gone: 'wait' },
  unrecorded: { bound: 'keep', gone: 'remove' },
};

/** Input of the decision. The VMs are listed first, so that `guests` contains every record written before. */
interface VmInventory {
  readonly vms: readonly TartVm[];
  readonly guests: readonly GuestId[];
  readonly podUids: ReadonlySet<string>;
}

export interface ClassifiedVm extends TartVm {
  readonly decision: VmDecision;
  /** Undefined for a foreign VM. */
  readonly id: GuestId | undefined;
}

export function classifyVms({ vms, guests, podUids }: VmInventory): ClassifiedVm[] {
  const recorded = new Set(guests.map(guestKey));
  return vms.map(vm => {
    const id = parseGuestName(vm.name);
    const row = id === undefined ? 'foreign' : recorded.has(guestKey(id)) ? 'recorded' : 'unrecorded';
    return { ...vm, id, decision: vmDecisions[row][id !== undefined && podUids.has(id.uid) ? 'bound' : 'gone'] };
  });
}

/** Usage of the VM slots that the kernel allows for macOS guests. */
export interface VmSlots {
  readonly used: number;
  readonly foreign: number;
  readonly free: number;
}

/** Foreign VMs, identified by name alone, regardless of records; without those that the agent took over. */
export const foreignVms = (vms: readonly TartVm[]): readonly TartVm[] =>
  vms.filter(({ name, inherited }) => parseGuestName(name) === undefined && inherited !== true);

export function countSlots(vms: readonly TartVm[], places: number): VmSlots {
  const running = vms.filter(vm => vm.running);
  const foreign = foreignVms(running).length;
  return { used: running.length - foreign, foreign, free: Math.max(0, places - running.length) };
}
