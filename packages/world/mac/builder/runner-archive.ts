import type { Mac } from '../mac.ts';
import { tarball } from '../unix/archive/tarball.ts';
import type { User } from '../user.ts';

export const RUNNER_VERSION = '2.330.0';

/** A script of the runner: in the world its second line says which program it stands for. */
export const scriptText = (name: string, version = RUNNER_VERSION): string =>
  `#!/bin/bash\n# actions/runner ${version} ${name}\n`;

/** The files of `actions-runner-osx-arm64-<version>.tar.gz`, as far as anyone looks at them. */
export const runnerArchive = (version = RUNNER_VERSION): Readonly<Record<string, string>> => ({
  'config.sh': scriptText('config.sh', version),
  'run.sh': scriptText('run.sh', version),
  // In the real archive too svc.sh is made by config.sh, from a template in bin.
  'bin/darwin.svc.sh.template': scriptText('svc.sh', version),
  'bin/runsvc.sh': scriptText('runsvc.sh', version),
});

/** The archive itself. */
export const runnerTarball = (version = RUNNER_VERSION): Buffer => tarball(runnerArchive(version));

/** Unpacks the archive without tar. */
export function unpackRunner(mac: Mac, directory: string, as: User): void {
  mac.files.makeDirectory(as, `${directory}/bin`, { parents: true });
  for (const [name, content] of Object.entries(runnerArchive()))
    mac.files.write(as, `${directory}/${name}`, content, { mode: 0o755 });
}
