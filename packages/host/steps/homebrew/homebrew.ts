import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { current, drift, type StepDefinition } from '../../engine/step.ts';
import type { Artifact, Host, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

interface HomebrewSettings {
  /**
   * Homebrew's install script, identified by its hash: nothing unverified from the network is run. Undefined if an operator installs
   * Homebrew on every Mac.
   */
  readonly installer: Artifact | undefined;
}

export const HOST_HOMEBREW_INSTALLER_MISSING = defineError('HOST_HOMEBREW_INSTALLER_MISSING', {
  retry: 'operator',
  reason: 'HostHomebrewInstallerMissing',
  text: '{address}: Homebrew is missing, and the fleet file has no installer; install Homebrew on the host as {user} (https://brew.sh), or set builder.homebrewInstaller as in docs/vm-image-builder.md; nothing was changed',
});

export const PREFIX = '/opt/homebrew';
export const BREW = `${PREFIX}/bin/brew`;
const INSTALLER = '/var/db/minifleet/homebrew-install.sh';
// It may have to download Apple's Command Line Tools first.
const INSTALLS_WITHIN = minutes(40);

/**
 * Homebrew for the SSH user, because it refuses to run as root. It is never removed, because operators use it for other
 * things; without a builder only the tools of `builder-tools` are removed.
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
    if (!want.installer) throw HOST_HOMEBREW_INSTALLER_MISSING({ address: host.address, user: host.user });
    // Uploaded and verified before it runs: a script read from a broken connection would run up to the break.
    await host.upload({ path: INSTALLER, mode: 0o755, owner: 'root:wheel' }, want.installer);
    await host.must(['/bin/sh', '-c', loadScript('install-homebrew'), 'install-homebrew', INSTALLER, host.user], {
      root: true,
      timeout: INSTALLS_WITHIN,
    });
    return notes;
  },
  removal: { inspect: async () => current(), change: async () => [] },
  // Another installer does not change the result: Homebrew updates itself.
  identity: () => 'installed',
} satisfies StepDefinition<HomebrewSettings>;

interface HomebrewState {
  readonly answers: boolean;
  /** Undefined if Homebrew is missing. */
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

/** Restores the owner that a `sudo` command changed. */
async function takeOver(host: Host, owner: string | undefined): Promise<string[]> {
  if (owner === undefined || owner === host.user) return [];
  await host.must(['/usr/sbin/chown', '-R', `${host.user}:admin`, PREFIX], { root: true, timeout: minutes(5) });
  return [`${PREFIX} changed owner from ${owner} to ${host.user}`];
}
