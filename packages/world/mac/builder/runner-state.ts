import { RUNNER_VERSION } from '../../actions-runner/install-runner.ts';
import { FileError } from '../files/file-system.ts';
import type { Mac, Run, User } from '../mac.ts';

import { tarball } from '../unix/archive/tar.ts';

/** Content of `.runner`, which config.sh writes. */
export interface RunnerState {
  readonly agentId: number;
  readonly agentName: string;
  readonly gitHubUrl: string;
  readonly workFolder: string;
  /** Set by `--disableupdate`; absent for a runner that updates itself. */
  readonly disableUpdate?: boolean;
}

/** The runner writes its JSON with a byte order mark (derived), which breaks a naive parser. */
const MARK = '\ufeff';

export function readRunner(run: Run): RunnerState | undefined {
  try {
    return JSON.parse(run.mac.files.read(run.user, `${run.directory}/.runner`).toString().replace(MARK, ''));
  } catch (error) {
    if (error instanceof FileError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeRunner(run: Run, state: RunnerState): void {
  const more = { poolId: 1, poolName: 'Default', serverUrl: 'https://pipelines.actions.githubusercontent.com/' };
  writeFile(run, '.runner', MARK + JSON.stringify({ ...state, ...more }, null, 2));
}

export function writeFile(run: Run, name: string, content: string, mode = 0o644): void {
  run.mac.files.write(run.user, `${run.directory}/${name}`, content, { mode });
}

/** `actions.runner.<org>.<name>`, or `<owner>-<repository>` in place of the organisation. */
export const agentLabel = (state: RunnerState): string => {
  const place = new URL(state.gitHubUrl).pathname.split('/').filter(part => part !== '');
  return `actions.runner.${place.join('-')}.${state.agentName}`;
};

/** All scripts of the runner refuse to run as root. */
export function refusesRoot(run: Run): boolean {
  if (run.user.uid !== 0 || run.environment['RUNNER_ALLOW_RUNASROOT']) return false;
  run.err('Must not run with sudo\n');
  return true;
}

/** Text of a simulated runner script. Its second line names the program it maps to. */
export const scriptText = (name: string, version = RUNNER_VERSION): string =>
  `#!/bin/bash\n# actions/runner ${version} ${name}\n`;

/** Version in the script that runs, as the archive has it. */
export const runnerVersion = (run: Run): string =>
  /actions\/runner (\S+)/.exec(run.mac.files.read(run.user, `${run.directory}/config.sh`).toString())?.[1] ??
  RUNNER_VERSION;

/** The files of `actions-runner-osx-arm64-<version>.tar.gz` that programs here read. */
export const runnerArchive = (version = RUNNER_VERSION): Readonly<Record<string, string>> => ({
  'config.sh': scriptText('config.sh', version),
  'run.sh': scriptText('run.sh', version),
  // The real archive also contains only a template in bin, from which config.sh makes svc.sh.
  'bin/darwin.svc.sh.template': scriptText('svc.sh', version),
  'bin/runsvc.sh': scriptText('runsvc.sh', version),
});

export const runnerTarball = (version = RUNNER_VERSION): Buffer => tarball(runnerArchive(version));

/** Unpacks the archive without tar. */
export function unpackRunner(mac: Mac, directory: string, as: User): void {
  mac.files.makeDirectory(as, `${directory}/bin`, { parents: true });
  for (const [name, content] of Object.entries(runnerArchive()))
    mac.files.write(as, `${directory}/${name}`, content, { mode: 0o755 });
}
