import { type Disturbance, disturbances, HOST_SUDO_NEEDED, type StepReport, type StepState } from '@minifleet/host';
import type { Paint } from '../terminal/paint.ts';
import { renderTable, type TableRow } from '../terminal/table.ts';

/** Inspection result of a plan, for display. */
interface PlanView {
  readonly reports: readonly StepReport[];
  /** Maximum disturbance of a converge. */
  readonly allow: Disturbance;
  /** Steps that need a reboot to take effect. */
  readonly rebooting: ReadonlySet<string>;
}

interface PlanTableLayout {
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

/** Renders a table of the steps with their differences. */
export function planTable(
  { reports, allow }: Pick<PlanView, 'reports' | 'allow'>,
  { paint, width }: PlanTableLayout,
): string {
  const rows = reports.map((report): TableRow => {
    const state = stateUnder(report, allow);
    return {
      cells: [
        { text: report.id },
        { text: `${MARKS[state]} ${stateLabel(state)}`, paint: paint[COLOURS[state]] },
        { text: disturbanceShown(report, state) },
      ],
      paragraphs: differencesOf(report),
    };
  });
  return renderTable({ titles: ['STEP', 'STATE', 'DISTURBS', 'DIFFERENCE'], rows, width });
}

/** Returns the displayed state. `held back` stays the value in JSON and in the ledger of the host. */
const stateLabel = (state: StepState): string => (state === 'held back' ? 'skipped' : state);

/** Returns the disturbance of a step that would be applied. A reboot stops running VMs. */
function disturbanceShown({ disturbs }: StepReport, state: StepState): string {
  if (state === 'needs reboot') return 'running VMs';
  return state === 'drift' || state === 'held back' || state === 'failed' ? disturbs : '';
}

/** Shortens the message of steps that need sudo: on a host without sudo that is most of them. */
const differencesOf = ({ error, differences }: StepReport): readonly string[] =>
  error?.code === HOST_SUDO_NEEDED.code ? ['cannot be inspected without sudo'] : differences;

/** A drifted step that disturbs more than allowed is skipped (`held back`). */
export const stateUnder = ({ state, disturbs }: StepReport, allow: Disturbance): StepState =>
  state === 'drift' && disturbances.indexOf(disturbs) > disturbances.indexOf(allow) ? 'held back' : state;

/** Renders the last line: the differences and what converge would do. */
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
      ? [`converge would change ${which(drifted.length, differing)} (disturbs ${most(drifted)})`]
      : []),
    ...(held.length > 0 ? [`${some(held.length)} skipped (use --allow ${allowing(most(held))})`] : []),
    ...(reboots.length > 0 ? [`${some(reboots.length)} ${reboots.length === 1 ? 'needs' : 'need'} a reboot`] : []),
    ...(unknown.length > 0 ? [`${some(unknown.length)} cannot be inspected yet`] : []),
  ].join('; ');
}

const some = (count: number): string => (count === 1 ? 'one' : String(count));

const which = (count: number, all: number): string => {
  if (count < all) return `${some(count)} of them`;
  return count === 1 ? 'it' : count === 2 ? 'both' : 'them';
};

const most = (reports: readonly StepReport[]): Disturbance =>
  disturbances.findLast(each => reports.some(({ disturbs }) => disturbs === each)) ?? 'nothing';

/** Renders a value of `--allow`: `running VMs` becomes `running-vms`. */
export const allowing = (disturbance: Disturbance): string => disturbance.toLowerCase().replace(' ', '-');

/** Converts a step report to plain data. Of an error only code, message and retry policy are kept. */
export function stepToJson(report: StepReport, allow: Disturbance) {
  const { error, ...rest } = report;
  return {
    ...rest,
    state: stateUnder(report, allow),
    ...(error && { error: { code: error.code, message: error.message, retry: error.retry } }),
  };
}
