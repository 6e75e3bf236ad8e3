import type { HostView } from '../../host.ts';
import { type PrintedJob, parsePrintedJob, processAges } from '../../launchd/printed-job.ts';
import { renderPropertyList } from '../../launchd/property-list.ts';
import { loadScript } from '../../load-script.ts';

export const DIRECTORY = '/opt/actions-runner';
/** Path of the archive until it is unpacked. */
export const ARCHIVE = `${DIRECTORY}.tar.gz`;
/**
 * PATH of jobs. The one that config.sh writes lacks Homebrew: `packer: command not found`. The pinned Tart in /usr/local/bin is first, as
 * for the agent: a Mac that once had `brew install tart` has another in Homebrew.
 */
export const JOB_PATH = '/usr/local/bin:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Registration URL and name of a runner. */
interface RunnerIdentity {
  /** `https://github.com/acme`, or a repository's. */
  readonly url: string;
  readonly name: string;
}

/** `actions.runner.acme.mini-01`, as in the runner's own svc.sh. */
export function agentLabel({ url, name }: RunnerIdentity): string {
  const scope = new URL(url).pathname.replace(/^\/+|\/+$/g, '').replace(/[^0-9a-zA-Z._-]/g, '-');
  return `actions.runner.${scope}.${name}`;
}

export const agentPath = (user: string, label: string): string => `/Users/${user}/Library/LaunchAgents/${label}.plist`;

export const logPath = (user: string, label: string): string => `/Users/${user}/Library/Logs/${label}/stdout.log`;

/** Keys of the runner's own template plus KeepAlive: launchd restarts it after a kill, but not after a regular exit. */
export const renderAgent = (user: string, label: string): string =>
  renderPropertyList({
    Label: label,
    ProgramArguments: [`${DIRECTORY}/runsvc.sh`],
    UserName: user,
    WorkingDirectory: DIRECTORY,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    StandardOutPath: logPath(user, label),
    StandardErrorPath: logPath(user, label).replace('stdout', 'stderr'),
    EnvironmentVariables: { ACTIONS_RUNNER_SVC: '1' },
    ProcessType: 'Interactive',
    SessionCreate: true,
  });

/** State of a runner on a host. */
export interface RunnerState {
  /** True if the account exists. */
  readonly account: boolean;
  /** True if the account is logged in to the GUI session. */
  readonly session: boolean;
  /** Owner of the directory; undefined if it does not exist. */
  readonly owner: string | undefined;
  /** True if its scripts exist. */
  readonly whole: boolean;
  /** Archive unpacked last by Minifleet: `<version> <sha256>`. */
  readonly archive: string | undefined;
  /** Version after a self-update, if any. */
  readonly updatedTo: string | undefined;
  readonly registration: Registration | undefined;
  readonly credentials: boolean;
  /** Registration made last by Minifleet: `<url> <name> <labels>`. */
  readonly registered: string | undefined;
  readonly path: string | undefined;
  /** Property list of its launch agent. */
  readonly agent: string | undefined;
  /** Other launch agents that start the same directory. */
  readonly strays: readonly string[];
  /** Changed but not restarted since. */
  readonly restartPending: boolean;
  readonly job: PrintedJob | undefined;
  /** Age of its process in seconds. */
  readonly age: number | undefined;
  readonly listener: ListenerState;
  /** True while it runs a job: the Worker process lives as long as one job. */
  readonly busy: boolean;
}

/** Reads everything in one round trip. */
export async function readRunner(
  host: HostView,
  want: RunnerIdentity & { readonly user: string },
): Promise<RunnerState> {
  const { user } = want;
  const label = agentLabel(want);
  const script = ['/bin/sh', '-c', loadScript('inspect-runner'), 'inspect-runner', DIRECTORY, user, label] as const;
  const [inspected, runner, archive, registered, path, agent, log, processes] = await Promise.all([
    host.query(script, { root: true }),
    host.readText(`${DIRECTORY}/.runner`),
    host.readText(`${DIRECTORY}/.archive`),
    host.readText(`${DIRECTORY}/.registration`),
    host.readText(`${DIRECTORY}/.path`),
    host.readText(agentPath(user, label)),
    host.query(['/usr/bin/tail', '-n', '200', logPath(user, label)], { root: true }),
    host.query(['/bin/ps', '-axo', 'pid=,etime=,command=']),
  ]);
  const { fields, job } = readInspection(inspected.stdout);
  const ages = processAges(processes.stdout);
  return {
    account: fields.has('uid'),
    session: fields.has('session'),
    owner: fields.get('owner')?.[0],
    whole: fields.has('whole'),
    archive: archive?.trim(),
    updatedTo: /\bbin\.([\d.]+)$/.exec(fields.get('updated')?.[0] ?? '')?.[1],
    registration: readRegistration(runner),
    credentials: fields.has('credentials'),
    registered: registered?.trim(),
    path: path?.trim(),
    agent,
    strays: fields.get('stray') ?? [],
    restartPending: fields.has('restart'),
    job,
    age: job?.pid === undefined ? undefined : ages.get(job.pid),
    listener: readListenerLog(log.stdout, pid => ages.has(pid)),
    busy: isBusy(processes.stdout),
  };
}

/** Parses `key value` lines up to `job`, then the output of launchctl print. */
function readInspection(text: string): { fields: ReadonlyMap<string, readonly string[]>; job: PrintedJob | undefined } {
  const lines = text.split('\n');
  const end = lines.indexOf('job');
  const fields = new Map<string, string[]>();
  for (const line of lines.slice(0, Math.max(end, 0))) {
    const at = line.indexOf(' ');
    const word = line.slice(0, at);
    fields.set(word, [...(fields.get(word) ?? []), line.slice(at + 1)]);
  }
  return { fields, job: parsePrintedJob(lines.slice(end + 1).join('\n')) };
}

/** From the listing of `ps -axo pid=,etime=,command=`. */
export const isBusy = (processes: string): boolean =>
  processes.split('\n').some(line => /^\s*\d+\s+\S+\s+\S*\/Runner\.Worker(\s|$)/.test(line));

/** State of the current process according to the runner's log. */
type ListenerState =
  /** No information: log rotated, or written by an older runner. */
  | { readonly state: 'unknown' }
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** Message of the runner; it keeps retrying or has given up. */
  | { readonly state: 'failing'; readonly words: string }
  /** GitHub deleted this runner; only a new registration helps. */
  | { readonly state: 'deleted' };

const STARTED = 'Starting Runner listener';
const PID = /^Started listener process, pid: (\d+)$/;
const CONNECTED = /Listening for Jobs|Running job: |Job .* completed with result|Runner reconnected\./;
const DELETED = /registration has been deleted from the server/;
const FAILING =
  /Runner connect error: (.*?)(?:\. Retrying until reconnected\.)?$|Failed to create (?:a )?session\. (.*)$|(A session for this runner already exists)|An error occurr?ed: (.*)$|(Not configured)/;

/**
 * Reads the end of stdout.log of `actions.runner.…`: the last message since the last start counts. Messages of an
 * exited listener still describe the registration, but not the connection.
 */
export function readListenerLog(tail: string, lives: (pid: number) => boolean): ListenerState {
  const lines = tail.split('\n').map(line => line.trim());
  const start = lines.findLastIndex(line => line.startsWith(STARTED));
  if (start < 0) return { state: 'unknown' };
  const fields = lines.slice(start + 1);
  const last = fields.reduce<ListenerState>((before, line) => listenerStateIn(line) ?? before, { state: 'connecting' });
  const pid = Number(fields.map(line => PID.exec(line)?.[1]).find(found => found !== undefined));
  return last.state === 'connected' && !lives(pid) ? { state: 'connecting' } : last;
}

function listenerStateIn(line: string): ListenerState | undefined {
  if (CONNECTED.test(line)) return { state: 'connected' };
  if (DELETED.test(line)) return { state: 'deleted' };
  const words = FAILING.exec(line)
    ?.slice(1)
    .find(word => word !== undefined);
  return words === undefined ? undefined : { state: 'failing', words };
}

/** Content of `.runner`. */
export interface Registration extends RunnerIdentity {
  /** Configured without `--disableupdate`: GitHub may have installed a newer runner. */
  readonly updatesItself: boolean;
}

/** Undefined if it is missing or unreadable. */
export function readRegistration(text: string | undefined): Registration | undefined {
  if (text === undefined) return undefined;
  try {
    // The runner writes a byte order mark first.
    const settings: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!isSettings(settings)) return undefined;
    const { gitHubUrl, agentName, disableUpdate } = settings;
    return { url: gitHubUrl, name: agentName, updatesItself: disableUpdate !== true };
  } catch {
    return undefined;
  }
}

interface RunnerConfigFile {
  readonly gitHubUrl: string;
  readonly agentName: string;
  readonly disableUpdate?: unknown;
}

const isSettings = (value: unknown): value is RunnerConfigFile =>
  typeof value === 'object' &&
  value !== null &&
  'gitHubUrl' in value &&
  typeof value.gitHubUrl === 'string' &&
  'agentName' in value &&
  typeof value.agentName === 'string';

export const isSameRunner = (one: RunnerIdentity, other: RunnerIdentity): boolean =>
  one.name === other.name && withoutSlash(one.url) === withoutSlash(other.url);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '').toLowerCase();
