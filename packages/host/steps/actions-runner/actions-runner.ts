import { minutes, seconds } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import { drift, type Finding, type Removal, type StepDefinition } from '../../engine/step.ts';
import type { Artifact, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { HOST_RUNNER_BUSY, HOST_RUNNER_NEEDS_SESSION, HOST_RUNNER_STUCK, HOST_RUNNER_TOKEN_NEEDED } from './errors.ts';
import { allDifferences, runnerDifferences } from './runner-differences.ts';
import { registerRunner, runnerScriptError, startRunner, unpackRunner } from './runner-scripts.ts';
import { agentLabel, DIRECTORY, isBusy, type Registration, readRegistration, readRunner } from './runner-state.ts';

const STUCK = 86;
/** No runner has this label, so every launch agent of the directory counts as stray. */
const NO_LABEL = '-';

/** Removes the runner from the host. GitHub keeps its entry, which only a removal token or the API deletes. */
const runnerRemoval: Removal = {
  async inspect(host) {
    const { folder, agents, busy } = await readLeftovers(host);
    const words = [
      ...(folder ? [`${DIRECTORY} still exists`] : []),
      ...agents.map(label => `launch agent ${label} still exists`),
    ];
    return drift(words, busy ? 'running VMs' : 'nothing');
  },
  async change(host) {
    const { registration } = await readLeftovers(host);
    const label = registration ? agentLabel(registration) : '';
    const ran = await host.script('remove-runner', [DIRECTORY, host.user, label], { timeout: minutes(5) });
    if (ran.exitCode === STUCK) throw HOST_RUNNER_STUCK({ label: label || DIRECTORY, address: host.address });
    if (ran.exitCode !== 0) throw runnerScriptError(host, { script: 'remove-runner', ran, want: undefined });
    return [
      ...ran.stdout.split('\n').filter(line => line !== ''),
      ...(registration ? [`${registration.url} still lists runner ${registration.name}; remove it there`] : []),
    ];
  },
};

interface Leftovers {
  readonly folder: boolean;
  readonly agents: readonly string[];
  readonly registration: Registration | undefined;
  readonly busy: boolean;
}

async function readLeftovers(host: HostView): Promise<Leftovers> {
  const script = [
    '/bin/sh',
    '-c',
    loadScript('inspect-runner'),
    'inspect-runner',
    DIRECTORY,
    host.user,
    NO_LABEL,
  ] as const;
  const [folder, inspected, runner, processes] = await Promise.all([
    host.fileInfo(DIRECTORY),
    host.query(script, { root: true }),
    host.readText(`${DIRECTORY}/.runner`),
    host.query(['/bin/ps', '-axo', 'pid=,etime=,command=']),
  ]);
  return {
    folder: folder !== undefined,
    agents: inspected.stdout.split('\n').flatMap(line => (line.startsWith('stray ') ? [line.slice(6)] : [])),
    registration: readRegistration(runner),
    busy: isBusy(processes.stdout),
  };
}

export interface ActionsRunnerSettings {
  /** `https://github.com/acme`. */
  readonly url: string;
  /** Name at GitHub; another runner with this name is replaced. */
  readonly name: string;
  /** Labels in addition to GitHub's default labels. */
  readonly labels: readonly string[];
  readonly version: string;
  /** `actions-runner-osx-arm64-<version>.tar.gz`. */
  readonly archive: Artifact;
  /** Registration token, valid for one hour. Needed only to register. */
  readonly token: Secret | undefined;
  /** Account that is logged in to the GUI session. */
  readonly user: string;
}

/**
 * GitHub Actions runner in the GUI session, where a bake may start guests. A valid registration is never dropped for
 * lack of a token, and a running job is not interrupted unless the caller allows it.
 */
export const actionsRunner = {
  id: 'actions-runner',
  title: 'GitHub Actions runner',
  disturbs: 'running VMs',
  timeout: minutes(20),
  settle: { within: seconds(90), every: seconds(2) },
  async inspect(host, want) {
    const state = await readRunner(host, want);
    if (!state.account) return drift(`account ${want.user} does not exist`, 'nothing');
    // Every repair ends with a restart, which would end a running job.
    return drift(allDifferences(runnerDifferences(state, want)), state.busy ? 'running VMs' : 'nothing');
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
} satisfies StepDefinition<ActionsRunnerSettings>;

/** The inspection found a job and the caller continued: that is the permission. */
const mayInterrupt = (finding: Finding): boolean => finding.state === 'drift' && finding.disturbs === 'running VMs';
