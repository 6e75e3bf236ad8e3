import type { TartVm } from '../guests/tart.ts';
import { type Finding, fails, holds } from '../node/finding.ts';
import { foreignVms } from './vm-fate.ts';

/** A Node is sent often and read by people: more names would help neither. */
const MOST_NAMES = 5;
const LONGEST_NAME = 63;

/** For the Node's condition `ForeignVMs`: whose VMs are here beside ours, and how many places of the kernel's they take. */
export function judgeForeignVms(vms: readonly TartVm[], places: number): Finding {
  const foreign = foreignVms(vms);
  const [running, stopped] = [foreign.filter(vm => vm.running), foreign.filter(vm => !vm.running)];
  const rest = stopped.length > 0 ? [`not ours, and not running: ${namesOf(stopped)}`] : [];
  if (running.length > 0) {
    const taken = `${running.length} of ${places} VM slots are taken by VMs that are not ours: ${namesOf(running)}`;
    return holds('ForeignVMsRunning', [taken, ...rest].join('; '));
  }
  if (stopped.length > 0) return holds('ForeignVMsStopped', rest.join());
  return fails('NoForeignVMs', 'all VMs of this host are guests of this node');
}

/** In the order of the alphabet: the message may change only when the VMs do. */
function namesOf(vms: readonly TartVm[]): string {
  const names = vms.map(({ name }) => name).sort();
  const shown = names.slice(0, MOST_NAMES).map(name => name.slice(0, LONGEST_NAME));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
