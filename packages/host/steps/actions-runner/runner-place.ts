import { renderPropertyList } from '../../launchd/property-list.ts';

export const DIRECTORY = '/opt/actions-runner';
/** Where an archive waits until it is unpacked. */
export const ARCHIVE = `${DIRECTORY}.tar.gz`;
/** What jobs find their programs by; the one config.sh writes has nothing of Homebrew: `packer: command not found`. */
export const JOB_PATH = '/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Whose runner it is, and where it registers. */
export interface RunnerIdentity {
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
