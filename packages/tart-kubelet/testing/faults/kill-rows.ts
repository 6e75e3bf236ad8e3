/** One row of the table: the points at which the agent is killed, and the expected final status of the Pod. */
export interface KillRow {
  /** Points at which successive agents kill themselves (`before tart clone`); the agent after the last one keeps running. */
  readonly at: readonly string[];
  /** Another process to kill once the Pod’s process runs. */
  readonly also?: 'the supervisor' | 'tart run' | 'the API server' | undefined;
  /** Time at which the Pod is deleted. */
  readonly deleted: 'when it has ended' | 'while it runs';
  /** Terminal phase, exit code and reason. */
  readonly reported: string;
}

const around = (...points: readonly string[]): string[] =>
  points.flatMap(point => [`before ${point}`, `after ${point}`]);

/** A pull may outlive its agent. The pull of the next agent waits for the lock of Tart or finds the image. */
const DURING_PULL = [
  ...around('images.json (empty)', 'tart fqn', 'images.json (pulling)', 'tart pull'),
  'during tart pull',
  ...around('images.json (pulled)'),
];
const UNTIL_RUNNING = [
  ...around('tart list', 'status waiting'),
  ...DURING_PULL,
  ...around('record.json', 'tart clone', 'tart set', 'status Running running'),
];
const AT_EXIT = around('status Failed terminated', 'tart delete');
const AT_DELETION = around('status of a deletion', 'status Failed terminated', 'tart delete', 'delete of the Pod');

/** The first agent is killed at the first point, the next agent during its recovery. */
const DURING_RECOVERY = [
  ['after images.json (pulling)', 'during tart pull'],
  ['after tart pull', 'before images.json (pulled)'],
  ['after record.json', 'before tart clone'],
  ['after tart clone', 'before tart delete'],
  ['after tart clone', 'after tart delete'],
  ['after status Running running', 'before tart list'],
  ['before status Failed terminated', 'after status Failed terminated'],
  ['after status Failed terminated', 'before tart delete'],
];

const ENDED = { deleted: 'when it has ended', reported: 'Failed 5 Error' } as const;
const STOPPED = { deleted: 'while it runs', reported: 'Failed 7 Error' } as const;

/** Every durable write, every call of Tart and every write to the API server during the lifecycle of a single-shot Pod. */
export const killRows: readonly KillRow[] = [
  ...[...UNTIL_RUNNING, ...AT_EXIT].map(point => ({ at: [point], ...ENDED })),
  ...AT_DELETION.map(point => ({ at: [point], ...STOPPED })),
  ...DURING_RECOVERY.map(at => ({ at, ...ENDED })),
  ...[[], ['after status Running running'], ...around('exit.json').map(point => [point])].map(at => ({
    ...STOPPED,
    at,
    also: 'the supervisor' as const,
    reported: 'Failed 137 ContainerStatusUnknown',
  })),
  ...[[], ['after status Running running']].map(at => ({
    ...STOPPED,
    at,
    also: 'tart run' as const,
    reported: 'Failed 137 Killed',
  })),
  ...[[], ['after status Running running'], ['before status Failed terminated']].map(at => ({
    ...STOPPED,
    at,
    also: 'the API server' as const,
  })),
];
