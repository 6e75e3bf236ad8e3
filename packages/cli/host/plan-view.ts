import { type Disturbance, disturbances, HOST_SUDO_NEEDED, type StepReport, type StepState } from '@minifleet/host';
import type { Paint } from '../terminal/paint.ts';
import { renderTable, type TableRow } from '../terminal/table.ts';

/** How a plan stands against a host, for people. */
export interface PlanView {
  readonly reports: readonly StepReport[];
  /** The most a converge may disturb. */
  readonly allow: Disturbance;
  /** Steps that take force only after a reboot. */
  readonly rebooting: ReadonlySet<string>;
}

export interface PlanTableLayout {
  readonly paint: Paint;
  readonly width: number;
}

const MARKS: Readonly<Record<StepState, string>> = {
  current: '✓',
  drift: '~',
  'needs reboot': '↻',
  unknown: '?',
  'held back': '‖',
  failed: '✗',
  'not reached': '·',
};

const COLOURS: Readonly<Record<StepState, keyof Paint>> = {
  current: 'good',
  drift: 'doubtful',
  'needs reboot': 'doubtful',
  unknown: 'doubtful',
  'held back': 'doubtful',
  failed: 'bad',
  'not reached': 'quiet',
};

/** A table of the steps and what differs, in words. */
export function planTable(
  { reports, allow }: Pick<PlanView, 'reports' | 'allow'>,
  { paint, width }: PlanTableLayout,
): string {
  const rows = reports.map((report): TableRow => {
    const state = stateUnder(report, allow);
    return {
      cells: [
        { text: report.id },
        { text: `${MARKS[state]} ${state}`, paint: paint[COLOURS[state]] },
        { text: disturbanceShown(report, state) },
      ],
      paragraphs: wordsOf(report),
    };
  });
  return renderTable({ titles: ['STEP', 'STATE', 'DISTURBS', 'DIFFERENCE'], rows, width });
}

/** Only what would be carried out disturbs anything; a reboot ends VMs. */
function disturbanceShown({ disturbs }: StepReport, state: StepState): string {
  if (state === 'needs reboot') return 'running VMs';
  return state === 'drift' || state === 'held back' || state === 'failed' ? disturbs : '';
}

/** On a host without sudo most steps cannot be seen: that is said in a few words each, not in the sentence for errors. */
export const wordsOf = ({ error, differences }: StepReport): readonly string[] =>
  error?.code === HOST_SUDO_NEEDED.code ? ['cannot be seen before sudo works without a password'] : differences;

/** What would disturb more than allowed is held back. */
export const stateUnder = ({ state, disturbs }: StepReport, allow: Disturbance): StepState =>
  state === 'drift' && disturbances.indexOf(disturbs) > disturbances.indexOf(allow) ? 'held back' : state;

/** The last line: what all of it comes to, and what converge would do. */
export function planSummary({ reports, allow, rebooting }: PlanView): string {
  const inState = (...states: readonly StepState[]) =>
    reports.filter(report => states.includes(stateUnder(report, allow)));
  const drifted = inState('drift');
  const held = inState('held back');
  const unknown = inState('unknown');
  const differing = drifted.length + held.length + inState('needs reboot').length;
  const reboots = [...inState('needs reboot'), ...drifted.filter(({ id }) => rebooting.has(id))];
  if (differing + unknown.length === 0) return `all ${reports.length} steps are current`;
  return [
    `${differing === 0 ? 'none' : differing} of ${reports.length} steps ${differing === 1 ? 'differs' : 'differ'}`,
    ...(drifted.length > 0
      ? [`converge would change ${which(drifted.length, differing)}, disturbing ${most(drifted)}`]
      : []),
    ...(held.length > 0 ? [`${some(held.length)} held back: allow more with --allow ${allowing(most(held))}`] : []),
    ...(reboots.length > 0 ? [`${some(reboots.length)} ${reboots.length === 1 ? 'needs' : 'need'} a reboot`] : []),
    ...(unknown.length > 0 ? [`${some(unknown.length)} cannot be seen yet`] : []),
  ].join('; ');
}

const some = (count: number): string => (count === 1 ? 'one' : String(count));

const which = (count: number, all: number): string => {
  if (count < all) return `${some(count)} of them`;
  return count === 1 ? 'it' : count === 2 ? 'both' : 'them';
};

const most = (reports: readonly StepReport[]): Disturbance =>
  disturbances.findLast(each => reports.some(({ disturbs }) => disturbs === each)) ?? 'nothing';

/** As `--allow` takes it: `running VMs` is `running-vms`. */
export const allowing = (disturbance: Disturbance): string => disturbance.toLowerCase().replace(' ', '-');
