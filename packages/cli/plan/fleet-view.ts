import type { Paint } from '../terminal/paint.ts';
import { renderTable, type TableRow } from '../terminal/table.ts';
import type { HostPlanState, HostPlanStatus } from './host-plan-status.ts';

const MARKS: Readonly<Record<HostPlanState, readonly [string, keyof Paint]>> = {
  current: ['✓', 'good'],
  'reboot pending': ['↻', 'doubtful'],
  waiting: ['‖', 'doubtful'],
  'in progress': ['~', 'doubtful'],
  drift: ['~', 'doubtful'],
  blocked: ['?', 'bad'],
  failed: ['✗', 'bad'],
  paused: ['‖', 'quiet'],
  'no host': ['·', 'doubtful'],
  deleting: ['·', 'quiet'],
};

/** Renders a table of the hosts with their differences. */
export function fleetTable(
  hosts: readonly HostPlanStatus[],
  { paint, width }: { paint: Paint; width: number },
): string {
  const rows = hosts.map((host): TableRow => {
    const [mark, colour] = MARKS[host.state];
    return {
      cells: [
        { text: host.machine },
        { text: host.host ?? '' },
        { text: `${mark} ${host.state}`, paint: paint[colour] },
        { text: plans(host) },
      ],
      paragraphs: host.messages,
    };
  });
  return renderTable({ titles: ['MACHINE', 'HOST', 'STATE', 'PLAN', 'DIFFERENCE'], rows, width });
}

/** Renders `applied → desired`, shortened to 8 characters. `-o json` has the full fingerprints. */
function plans({ applied, desired }: HostPlanStatus): string {
  const short = (plan: string | undefined): string => plan?.slice(0, 8) ?? 'none';
  return applied === desired ? short(applied) : `${short(applied)} → ${short(desired)}`;
}

/** A machine that is being deleted does not count as different. */
export const differs = ({ state }: HostPlanStatus): boolean => state !== 'current' && state !== 'deleting';

/** Renders the last line. */
export function fleetSummary(hosts: readonly HostPlanStatus[]): string {
  const differing = hosts.filter(differs);
  if (differing.length === 0) return `all ${hosts.length} hosts are up to date`;
  const states = [...new Set(differing.map(({ state }) => state))];
  const counts = states.map(state => `${differing.filter(host => host.state === state).length} ${state}`);
  const failed = differing.filter(({ state }) => state === 'failed').map(({ machine }) => machine);
  const halted =
    failed.length === 0
      ? ''
      : `; the rollout is halted until ${failed.join(', ')} can apply the plan or the plan changes`;
  return `${differing.length} of ${hosts.length} hosts ${differing.length === 1 ? 'differs' : 'differ'}: ${counts.join(', ')}${halted}`;
}
