import { minutes, seconds } from '@minifleet/clock';
import { createFindingCache, drift, type StepDefinition } from '../../engine/step.ts';
import { describePaths, type PathFacts } from '../../file-info.ts';
import type { Host, HostView } from '../../host.ts';
import { loadDaemon, removeDaemon } from '../../launchd/daemon-script.ts';
import { type DaemonState, daemonDifferences, type LaunchDaemon, readDaemon } from '../../launchd/launch-daemon.ts';
import { loadScript } from '../../load-script.ts';

export interface LogRotationSettings {
  readonly files: readonly string[];
  /** Size above which a log is rotated. */
  readonly maxBytes: number;
  /** Number of rotated logs to keep, as `<log>.1` and so on. */
  readonly keep: number;
}

const LABEL = 'dev.minifleet.log-rotation';
const PROGRAM = { path: '/usr/local/libexec/minifleet-rotate-logs', mode: 0o755, owner: 'root:wheel' } as const;
const EVERY_SECONDS = 900;

const findings = createFindingCache<Awaited<ReturnType<typeof readRotation>>>();

/** Limits the size of logs that launchd keeps open, without reopening them. */
export const logRotation = {
  id: 'log-rotation',
  title: 'log rotation',
  disturbs: 'nothing',
  timeout: minutes(3),
  // The job runs once as soon as it is loaded.
  settle: { within: seconds(30), every: seconds(1) },

  async inspect(host, want) {
    const state = await readRotation(host, want);
    const { daemon, program, facts, sizes } = state;
    const finding = drift([
      ...programDifferences(program, facts),
      ...daemonDifferences(daemon, daemonOf(want)),
      ...failure(daemon),
      ...oversized(sizes, want.maxBytes),
    ]);
    return findings.store(finding, state);
  },

  async change(host, want, finding) {
    const { daemon, program, facts } = findings.stateFor(finding) ?? (await readRotation(host, want));
    if (programDifferences(program, facts).length > 0) await host.writeFile(PROGRAM, loadScript('rotate-logs'));
    if (daemonDifferences(daemon, daemonOf(want)).length > 0) await loadDaemon(host, daemonOf(want));
    else await runNow(host);
    return [];
  },

  removal: {
    async inspect(host) {
      const [daemon, paths] = await Promise.all([readDaemon(host, LABEL), describePaths(host, [PROGRAM.path])]);
      return drift([
        ...(daemon.job ? [`launchd still has the job ${LABEL}`] : []),
        ...(daemon.propertyList === undefined ? [] : [`the property list of ${LABEL} still exists`]),
        ...(paths.has(PROGRAM.path) ? [`${PROGRAM.path} still exists`] : []),
      ]);
    },
    async change(host) {
      await removeDaemon(host, LABEL, [PROGRAM.path]);
      return [`removed ${LABEL}; rotated logs are kept`];
    },
  },
} satisfies StepDefinition<LogRotationSettings>;

const daemonOf = ({ files, maxBytes, keep }: LogRotationSettings): LaunchDaemon => ({
  label: LABEL,
  arguments: [PROGRAM.path, String(maxBytes), String(keep), ...files],
  startIntervalSeconds: EVERY_SECONDS,
});

async function readRotation(host: HostView, { files }: LogRotationSettings) {
  const [daemon, program, paths, sizes] = await Promise.all([
    readDaemon(host, LABEL),
    host.readText(PROGRAM.path),
    describePaths(host, [PROGRAM.path]),
    host.query(['/usr/bin/stat', '-f', '%z %N', ...files], { root: true }),
  ]);
  return { daemon, program, facts: paths.get(PROGRAM.path), sizes: sizes.stdout };
}

function programDifferences(text: string | undefined, facts: PathFacts | undefined): string[] {
  if (text === undefined) return [`${PROGRAM.path} is missing`];
  if (text !== loadScript('rotate-logs')) return [`${PROGRAM.path} is not the expected file`];
  const right = facts?.kind === 'file' && facts.owner === PROGRAM.owner && facts.mode === PROGRAM.mode;
  return right ? [] : [`${PROGRAM.path} is not owned by root with mode 0755`];
}

function failure({ job }: DaemonState): string[] {
  const code = job?.pid === undefined ? job?.lastExit.code : undefined;
  return code === undefined || code === '0' ? [] : [`the last log rotation failed with exit code ${code}`];
}

const runNow = (host: Host): Promise<string> =>
  host.must(['/bin/launchctl', 'kickstart', `system/${LABEL}`], { root: true });

/** A log may grow for 15 minutes before it is rotated; above this factor rotation does not work. */
const OVERSIZE_FACTOR = 4;

/** Logs far above their limit, from lines of `stat -f '%z %N'`. */
function oversized(sizes: string, maxBytes: number): string[] {
  return sizes.split('\n').flatMap(line => {
    const [, size, log] = /^(\d+) (.+)$/.exec(line) ?? [];
    if (size === undefined || Number(size) <= maxBytes * OVERSIZE_FACTOR) return [];
    return [`${log} has ${size} bytes, expected at most ${maxBytes}`];
  });
}
