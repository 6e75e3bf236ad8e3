import { minutes } from '@minifleet/clock';
import { current, drift, type StepDefinition } from '../../engine/step.ts';
import type { Artifact, Host, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

interface HomebrewSettings {
  /** The text of Homebrew's install script, known by its hash: nothing is run that came from the network unseen. */
  readonly installer: Artifact;
}

export const PREFIX = '/opt/homebrew';
export const BREW = `${PREFIX}/bin/brew`;
const INSTALLER = '/var/db/minifleet/homebrew-install.sh';
// It may have to download Apple's Command Line Tools first.
const INSTALLS_WITHIN = minutes(40);

/**
 * Homebrew, for whoever we log in as: it refuses to run as root. It is never removed, as people use it for more than
 * ours; turned off, only what `builder-tools` poured goes.
 */
export const homebrew = {
  id: 'homebrew',
  title: 'Homebrew',
  disturbs: 'nothing',
  timeout: minutes(45),
  async inspect(host) {
    const { answers, owner } = await readHomebrew(host);
    if (owner === undefined) return drift('Homebrew is missing');
    return drift([
      ...(answers ? [] : [`${BREW} does not run`]),
      ...(owner === host.user
        ? []
        : [`${PREFIX} belongs to ${owner}, expected ${host.user} (brew writes only to directories it owns)`]),
    ]);
  },
  async change(host, want) {
    const { answers, owner } = await readHomebrew(host);
    const notes = await takeOver(host, owner);
    if (answers) return notes;
    // Sent as a file and checked before it runs: half a script read from a broken connection would run as far as it came.
    await host.upload({ path: INSTALLER, mode: 0o755, owner: 'root:wheel' }, want.installer);
    await host.must(['/bin/sh', '-c', loadScript('install-homebrew'), 'install-homebrew', INSTALLER, host.user], {
      root: true,
      timeout: INSTALLS_WITHIN,
    });
    return notes;
  },
  removal: { inspect: async () => current(), change: async () => [] },
  // Another installer makes no other Homebrew: it updates itself.
  identity: () => 'installed',
} satisfies StepDefinition<HomebrewSettings>;

interface HomebrewState {
  readonly answers: boolean;
  /** Undefined when it is not there. */
  readonly owner: string | undefined;
}

async function readHomebrew(host: HostView): Promise<HomebrewState> {
  const [answer, owner] = await Promise.all([
    host.query([BREW, '--version']),
    host.query(['/usr/bin/stat', '-f', '%Su', PREFIX]),
  ]);
  return {
    answers: answer.exitCode === 0 && answer.stdout.startsWith('Homebrew '),
    owner: owner.exitCode === 0 ? owner.stdout.trim() : undefined,
  };
}

/** Gives back what someone's `sudo` took. */
async function takeOver(host: Host, owner: string | undefined): Promise<string[]> {
  if (owner === undefined || owner === host.user) return [];
  await host.must(['/usr/sbin/chown', '-R', `${host.user}:admin`, PREFIX], { root: true, timeout: minutes(5) });
  return [`${PREFIX} changed owner from ${owner} to ${host.user}`];
}
