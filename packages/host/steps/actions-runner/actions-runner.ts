import { minutes, seconds } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import { drift, type Finding, type StepDefinition } from '../../engine/step.ts';
import type { Artifact } from '../../host.ts';
import { HOST_RUNNER_BUSY, HOST_RUNNER_NEEDS_SESSION, HOST_RUNNER_TOKEN_NEEDED } from './errors.ts';
import { registerRunner } from './register-runner.ts';
import { runnerDifferences, wordsOf } from './runner-differences.ts';
import { runnerRemoval } from './runner-removal.ts';
import { readRunner } from './runner-state.ts';
import { startRunner } from './start-runner.ts';
import { unpackRunner } from './unpack-runner.ts';

export interface ActionsRunner {
  /** `https://github.com/acme`. */
  readonly url: string;
  /** Under which GitHub knows it; another runner of that name is replaced. */
  readonly name: string;
  /** Besides those GitHub gives to every runner. */
  readonly labels: readonly string[];
  readonly version: string;
  /** `actions-runner-osx-arm64-<version>.tar.gz`. */
  readonly archive: Artifact;
  /** A registration token, good for an hour. Needed only when it must register. */
  readonly token: Secret | undefined;
  /** The account that is logged in at the screen. */
  readonly user: string;
}

/**
 * GitHub's runner in the session at the screen, where a bake may start guests. A registration that works is never given
 * up for want of a token, and a job that runs is never interrupted unless the caller allows it.
 */
export const actionsRunner = {
  id: 'actions-runner',
  title: 'GitHub Actions runner',
  disturbs: 'running VMs',
  timeout: minutes(20),
  settle: { within: seconds(90), every: seconds(2) },
  async inspect(host, want) {
    const state = await readRunner(host, want);
    if (!state.account) return drift(`there is no account ${want.user}`, 'nothing');
    // Whatever has to be done ends with a new start, and with it a job that runs.
    return drift(wordsOf(runnerDifferences(state, want)), state.busy ? 'running VMs' : 'nothing');
  },
  async change(host, want, finding) {
    const { address } = host;
    const state = await readRunner(host, want);
    const { code, registration, service } = runnerDifferences(state, want);
    if (!state.session) throw HOST_RUNNER_NEEDS_SESSION({ user: want.user, address });
    if (state.busy && !mayInterrupt(finding)) throw HOST_RUNNER_BUSY({ name: want.name, address });
    if (registration.length > 0 && want.token === undefined)
      throw HOST_RUNNER_TOKEN_NEEDED({ name: want.name, url: want.url, difference: registration.join(', '), address });
    if (code.length > 0) await unpackRunner(host, want);
    if (registration.length > 0) await registerRunner(host, want);
    if (code.length + registration.length + service.length === 0) return [];
    return startRunner(host, want, mayInterrupt(finding) ? 'anyway' : 'gently');
  },
  removal: runnerRemoval,
} satisfies StepDefinition<ActionsRunner>;

/** The inspection saw a job, and the caller goes on: that is the permission. */
const mayInterrupt = (finding: Finding): boolean => finding.state === 'drift' && finding.disturbs === 'running VMs';
