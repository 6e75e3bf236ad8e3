import { minutes } from '@minifleet/clock';
import { drift, type Removal } from '../../engine/step.ts';
import type { HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { HOST_RUNNER_STUCK } from './errors.ts';
import { type Registration, readRegistration } from './registration.ts';
import { agentLabel, DIRECTORY } from './runner-place.ts';
import { isBusy } from './runner-state.ts';
import { failure } from './script-failure.ts';

const STUCK = 86;
/** No runner has it, so that every agent of the directory counts as a stray. */
const NO_LABEL = '-';

/** Takes the runner off the host. GitHub keeps its entry: only a token of another kind, or its API, removes that. */
export const runnerRemoval: Removal = {
  async inspect(host) {
    const { folder, agents, busy } = await readLeftovers(host);
    const words = [
      ...(folder ? [`${DIRECTORY} is there, wanted nothing`] : []),
      ...agents.map(label => `the agent ${label} is there, wanted nothing`),
    ];
    return drift(words, busy ? 'running VMs' : 'nothing');
  },
  async change(host) {
    const { registration } = await readLeftovers(host);
    const label = registration ? agentLabel(registration) : '';
    const ran = await host.script('remove-runner', [DIRECTORY, host.user, label], { timeout: minutes(5) });
    if (ran.exitCode === STUCK) throw HOST_RUNNER_STUCK({ label: label || DIRECTORY, address: host.address });
    if (ran.exitCode !== 0) throw failure(host, { script: 'remove-runner', ran, want: undefined });
    return [
      ...ran.stdout.split('\n').filter(line => line !== ''),
      ...(registration ? [`${registration.url} still lists the runner ${registration.name}: remove it there`] : []),
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
    host.look(script, { root: true }),
    host.readText(`${DIRECTORY}/.runner`),
    host.look(['/bin/ps', '-axo', 'pid=,etime=,command=']),
  ]);
  return {
    folder: folder !== undefined,
    agents: inspected.stdout.split('\n').flatMap(line => (line.startsWith('stray ') ? [line.slice(6)] : [])),
    registration: readRegistration(runner),
    busy: isBusy(processes.stdout),
  };
}
