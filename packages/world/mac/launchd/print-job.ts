import type { Mac } from '../mac.ts';
import type { ExitReason } from '../processes/process-table.ts';
import { type LaunchdJob, launchdOf } from './launchd.ts';

const SIGNALS: Readonly<Record<string, readonly [string, number]>> = {
  SIGHUP: ['Hangup', 1],
  SIGINT: ['Interrupt', 2],
  SIGQUIT: ['Quit', 3],
  SIGABRT: ['Abort trap', 6],
  SIGKILL: ['Killed', 9],
  SIGPIPE: ['Broken pipe', 13],
  SIGTERM: ['Terminated', 15],
  SIGUSR1: ['User defined signal 1', 30],
  SIGUSR2: ['User defined signal 2', 31],
};

/**
 * `launchctl print <domain>/<label>`: the lines that scripts parse, in the format and order of the real command
 * (derived from Tahoe's).
 */
export function printJob(job: LaunchdJob): string {
  const { definition, process } = job;
  const gui = job.domain.startsWith('gui/');
  const lines = [
    `active count = ${process ? 1 : 0}`,
    `path = ${job.path}`,
    `type = ${gui ? 'LaunchAgent' : 'LaunchDaemon'}`,
    `state = ${stateOf(job)}`,
    '',
    `program = ${definition.program}`,
    ...block('arguments', definition.arguments),
    '',
    ...(definition.workingDirectory ? [`working directory = ${definition.workingDirectory}`, ''] : []),
    ...(definition.standardOut ? [`stdout path = ${definition.standardOut}`] : []),
    ...(definition.standardError ? [`stderr path = ${definition.standardError}`] : []),
    ...block('default environment', ['PATH => /usr/bin:/bin:/usr/sbin:/sbin']),
    '',
    ...block('environment', environment(job)),
    '',
    `domain = ${job.domain}`,
    ...(definition.userName ? [`username = ${definition.userName}`] : []),
    `minimum runtime = ${definition.throttleInterval}`,
    'exit timeout = 5',
    `runs = ${job.runs}`,
    ...(process ? [`pid = ${process.pid}`, 'immediate reason = speculative', 'forks = 0', 'execs = 1'] : []),
    ...lastExit(job.lastExit),
    '',
    // Coalitions have their own state line, which misleads a script that searches for `state =`.
    ...coalition('resource', definition.label),
    ...coalition('jetsam', definition.label),
    '',
    `spawn type = ${gui ? 'agent (1)' : 'daemon (3)'}`,
    '',
    `properties = ${properties(job)}`,
  ];
  const body = lines.map(line => (line === '' ? '' : `\t${line}`)).join('\n');
  return `${job.domain}/${definition.label} = {\n${body}\n}\n`;
}

function stateOf(job: LaunchdJob): string {
  if (job.process) return job.leaving ? 'SIGTERMed' : 'running';
  return job.scheduled ? 'spawn scheduled' : 'not running';
}

function lastExit(reason: ExitReason | undefined): string[] {
  if (!reason) return ['last exit code = (never exited)'];
  if ('code' in reason) return [`last exit code = ${reason.code}${reason.code === 78 ? ': EX_CONFIG' : ''}`];
  const [words, number] = SIGNALS['signal' in reason ? reason.signal : 'SIGKILL'] ?? ['Killed', 9];
  const signal = `last terminating signal = ${words}: ${number}`;
  return 'reason' in reason ? [signal, `last exit reason = ${reason.reason}`] : [signal];
}

const coalition = (type: string, label: string): string[] =>
  block(`${type} coalition`, [`type = ${type}`, 'state = active', 'active count = 1', `name = ${label}`]);

const environment = ({ definition }: LaunchdJob): string[] => [
  ...Object.entries(definition.environment).map(([key, value]) => `${key} => ${value}`),
  `XPC_SERVICE_NAME => ${definition.label}`,
];

const properties = ({ definition }: LaunchdJob): string =>
  [definition.keepAlive !== false && 'keepalive', definition.runAtLoad && 'runatload', 'inferred program']
    .filter(word => word)
    .join(' | ');

const block = (name: string, lines: readonly string[]): string[] => [
  `${name} = {`,
  ...lines.map(line => `\t${line}`),
  '}',
];

/** `launchctl print system` and `launchctl print gui/<uid>`. */
export function printDomain(mac: Mac, domain: string): string {
  const launchd = launchdOf(mac);
  const uid = Number(domain.split('/')[1]);
  const gui = launchd.guiDomains.get(uid);
  const jobs = [...launchd.jobs.values()].filter(job => job.domain === domain);
  const login = gui && domain.startsWith('gui/');
  const lines = [
    `type = ${login ? 'login' : domain === 'system' ? 'system' : 'user'}`,
    `handle = ${login ? gui.handle : 0}`,
    `active count = ${jobs.length}`,
    `service count = ${jobs.length}`,
    `active service count = ${jobs.filter(job => job.process).length}`,
    ...(login
      ? [
          `creator = loginwindow[${gui.creator}]`,
          'creator euid = 0',
          'session = Aqua',
          ...block('security context', [`uid = ${uid}`, `asid = ${gui.handle}`]),
        ]
      : [`session = ${domain === 'system' ? 'System' : 'Background'}`]),
    '',
    ...block('services', jobs.map(jobLine)),
  ];
  return `${domain} = {\n${lines.map(line => (line === '' ? '' : `\t${line}`)).join('\n')}\n}\n`;
}

const jobLine = (job: LaunchdJob): string =>
  `${String(job.process?.pid ?? 0).padStart(8)} ${statusOf(job).padStart(6)} \t${job.definition.label}`;

/** Middle column of `list`: exit code, negative signal number, or `-` for a job that never exited. */
export function statusOf({ lastExit: reason }: LaunchdJob): string {
  if (!reason) return '-';
  if ('code' in reason) return String(reason.code);
  return String(-(SIGNALS['signal' in reason ? reason.signal : 'SIGKILL']?.[1] ?? 9));
}
