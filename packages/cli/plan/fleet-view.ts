import type { Paint } from '../terminal/paint.ts';
import { renderTable, type TableRow } from '../terminal/table.ts';
import type { HostPlanState, HostPlanStatus } from './host-plan-status.ts';

const MARKS: Readonly<Record<HostPlanState, readonly [string, keyof Paint]>> = {
  current: ['✓', 'good'],
  pending: ['↻', 'doubtful'],
  waits: ['‖', 'doubtful'],
  'under way': ['~', 'doubtful'],
  drift: ['~', 'doubtful'],
  trouble: ['?', 'bad'],
  failed: ['✗', 'bad'],
  paused: ['‖', 'quiet'],
  'no host': ['·', 'doubtful'],
  deleting: ['·', 'quiet'],
};

/** A table of the hosts and what differs, in words. */
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
      paragraphs: host.words,
    };
  });
  return renderTable({ titles: ['MACHINE', 'HOST', 'STATE', 'PLAN', 'DIFFERENCE'], rows, width });
}

/** What it has, and what it is to get. The beginning tells plans apart; all of it is in `-o json`. */
function plans({ applied, desired }: HostPlanStatus): string {
  const short = (plan: string | undefined): string => plan?.slice(0, 8) ?? 'none';
  return applied === desired ? short(applied) : `${short(applied)} → ${short(desired)}`;
}

/** A machine that goes is not brought anywhere. */
export const differs = ({ state }: HostPlanStatus): boolean => state !== 'current' && state !== 'deleting';

/** The last line: what all of it comes to. */
export function fleetSummary(hosts: readonly HostPlanStatus[]): string {
  const differing = hosts.filter(differs);
  if (differing.length === 0) return `all ${hosts.length} hosts are as wanted`;
  const states = [...new Set(differing.map(({ state }) => state))];
  const counts = states.map(state => `${differing.filter(host => host.state === state).length} ${state}`);
  const failed = differing.filter(({ state }) => state === 'failed').map(({ machine }) => machine);
  const halted =
    failed.length === 0
      ? ''
      : `; the roll is halted until ${failed.join(', ')} can have the plan, or another is wanted`;
  return `${differing.length} of ${hosts.length} hosts ${differing.length === 1 ? 'differs' : 'differ'}: ${counts.join(', ')}${halted}`;
}
