import type { HostView } from '../../host.ts';
import { type PrintedJob, parsePrintedJob } from '../../launchd/printed-job.ts';
import { processAges } from '../../launchd/process-ages.ts';
import { loadScript } from '../../load-script.ts';
import { type Listener, readListenerLog } from './listener-log.ts';
import { type Registration, readRegistration } from './registration.ts';
import { agentLabel, agentPath, DIRECTORY, logPath, type RunnerIdentity } from './runner-place.ts';

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
  readonly listener: Listener;
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
    host.look(script, { root: true }),
    host.readText(`${DIRECTORY}/.runner`),
    host.readText(`${DIRECTORY}/.archive`),
    host.readText(`${DIRECTORY}/.registration`),
    host.readText(`${DIRECTORY}/.path`),
    host.readText(agentPath(user, label)),
    host.look(['/usr/bin/tail', '-n', '200', logPath(user, label)], { root: true }),
    host.look(['/bin/ps', '-axo', 'pid=,etime=,command=']),
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
