import type { HostView } from '../../host.ts';
import { type PrintedJob, parsePrintedJob, processAges } from '../../launchd/printed-job.ts';
import { renderPropertyList } from '../../launchd/property-list.ts';
import { loadScript } from '../../load-script.ts';

export const DIRECTORY = '/opt/actions-runner';
/** Where an archive waits until it is unpacked. */
export const ARCHIVE = `${DIRECTORY}.tar.gz`;
/** What jobs find their programs by; the one config.sh writes has nothing of Homebrew: `packer: command not found`. */
export const JOB_PATH = '/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Whose runner it is, and where it registers. */
interface RunnerIdentity {
  /** `https://github.com/acme`, or a repository's. */
  readonly url: string;
  readonly name: string;
}

/** `actions.runner.acme.mini-01`, as the runner's own svc.sh calls it. */
export function agentLabel({ url, name }: RunnerIdentity): string {
  const scope = new URL(url).pathname.replace(/^\/+|\/+$/g, '').replace(/[^0-9a-zA-Z._-]/g, '-');
  return `actions.runner.${scope}.${name}`;
}

export const agentPath = (user: string, label: string): string => `/Users/${user}/Library/LaunchAgents/${label}.plist`;

export const logPath = (user: string, label: string): string => `/Users/${user}/Library/Logs/${label}/stdout.log`;

/** The keys of the runner's own template, and one more: it comes back when it was killed, and stays away when it gave up. */
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

/** All that is known of a runner on a host. */
export interface RunnerState {
  /** Whether the account is there at all. */
  readonly account: boolean;
  /** Whether it is logged in at the screen. */
  readonly session: boolean;
  /** Whose the directory is; undefined when there is none. */
  readonly owner: string | undefined;
  /** Whether its scripts are there. */
  readonly whole: boolean;
  /** What we unpacked last: `<version> <sha256>`. */
  readonly archive: string | undefined;
  /** The version it gave itself, if it did. */
  readonly updatedTo: string | undefined;
  readonly registration: Registration | undefined;
  readonly credentials: boolean;
  /** What we registered last: `<url> <name> <labels>`. */
  readonly registered: string | undefined;
  readonly path: string | undefined;
  /** The property list of its agent. */
  readonly agent: string | undefined;
  /** Agents of other names that start the same directory. */
  readonly strays: readonly string[];
  /** Changed, and not started anew since. */
  readonly restartPending: boolean;
  readonly job: PrintedJob | undefined;
  /** Of its process, in seconds. */
  readonly age: number | undefined;
  readonly listener: ListenerState;
  /** Whether it carries out a job right now: its Worker lives as long as one. */
  readonly busy: boolean;
}

/** One round trip. */
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
  const { said, job } = readInspection(inspected.stdout);
  const ages = processAges(processes.stdout);
  return {
    account: said.has('uid'),
    session: said.has('session'),
    owner: said.get('owner')?.[0],
    whole: said.has('whole'),
    archive: archive?.trim(),
    updatedTo: /\bbin\.([\d.]+)$/.exec(said.get('updated')?.[0] ?? '')?.[1],
    registration: readRegistration(runner),
    credentials: said.has('credentials'),
    registered: registered?.trim(),
    path: path?.trim(),
    agent,
    strays: said.get('stray') ?? [],
    restartPending: said.has('restart'),
    job,
    age: job?.pid === undefined ? undefined : ages.get(job.pid),
    listener: readListenerLog(log.stdout, pid => ages.has(pid)),
    busy: isBusy(processes.stdout),
  };
}

/** `word value` a line up to `job`, then what launchd printed. */
function readInspection(text: string): { said: ReadonlyMap<string, readonly string[]>; job: PrintedJob | undefined } {
  const lines = text.split('\n');
  const end = lines.indexOf('job');
  const said = new Map<string, string[]>();
  for (const line of lines.slice(0, Math.max(end, 0))) {
    const at = line.indexOf(' ');
    const word = line.slice(0, at);
    said.set(word, [...(said.get(word) ?? []), line.slice(at + 1)]);
  }
  return { said, job: parsePrintedJob(lines.slice(end + 1).join('\n')) };
}

/** From the listing of `ps -axo pid=,etime=,command=`. */
export const isBusy = (processes: string): boolean =>
  processes.split('\n').some(line => /^\s*\d+\s+\S+\s+\S*\/Runner\.Worker(\s|$)/.test(line));

/** What the runner's own log says of its present process. */
type ListenerState =
  /** Nothing to be read: rotated away, or written by an older runner. */
  | { readonly state: 'unknown' }
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** In its words; it goes on trying, or has given up. */
  | { readonly state: 'failing'; readonly words: string }
  /** GitHub knows this runner no more; only a new registration helps. */
  | { readonly state: 'deleted' };

const STARTED = 'Starting Runner listener';
const PID = /^Started listener process, pid: (\d+)$/;
const CONNECTED = /Listening for Jobs|Running job: |Job .* completed with result|Runner reconnected\./;
const DELETED = /registration has been deleted from the server/;
const FAILING =
  /Runner connect error: (.*?)(?:\. Retrying until reconnected\.)?$|Failed to create (?:a )?session\. (.*)$|(A session for this runner already exists)|An error occurr?ed: (.*)$|(Not configured)/;

/**
 * Reads the end of stdout.log of `actions.runner.…`: what was said since the last start, the last word counts. What a
 * listener said that lives no more is true of the registration, not of the connection.
 */
export function readListenerLog(tail: string, lives: (pid: number) => boolean): ListenerState {
  const lines = tail.split('\n').map(line => line.trim());
  const start = lines.findLastIndex(line => line.startsWith(STARTED));
  if (start < 0) return { state: 'unknown' };
  const said = lines.slice(start + 1);
  const last = said.reduce<ListenerState>((before, line) => listenerStateIn(line) ?? before, { state: 'connecting' });
  const pid = Number(said.map(line => PID.exec(line)?.[1]).find(found => found !== undefined));
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

/** What `.runner` says. */
export interface Registration extends RunnerIdentity {
  /** Not configured with `--disableupdate`: GitHub may have put a newer runner in its place. */
  readonly updatesItself: boolean;
}

/** Undefined when there is none, or none that can be read. */
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
