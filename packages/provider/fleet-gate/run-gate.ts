import { defineError } from '@minifleet/errors';
import { connectClient, inClusterSources, readKubeconfig } from '@minifleet/kube';
import { defineFlags, flag, type ParsedFlags, type ProgramContext, programFlags } from '@minifleet/kube/program';
import { waitForFleets } from './wait-for-fleets.ts';

/** Runs the gate Job of the chart. */
export async function runGate(
  argv: readonly string[],
  around: Pick<ProgramContext, 'clock' | 'environment' | 'output' | 'signal'>,
): Promise<void> {
  if (argv.includes('--help')) return void around.output.write(gateFlags.help);
  const flags = parseGateFlags(argv);
  const sources = flags.kubeconfig ? readKubeconfig(flags.kubeconfig) : inClusterSources(around.environment);
  const client = connectClient(sources, around);
  try {
    await waitForFleets(flags, { client, ...around });
  } finally {
    await client.close();
  }
}

const GATE_FLAG_WRONG = defineError('GATE_FLAG_WRONG', {
  retry: 'operator',
  reason: 'GateFlagWrong',
  text: '{problem}; run `minifleet-provider wait-for-fleets --help` for the flags',
});

const FLAGS = {
  fleets: flag.list('fleets', { default: '', help: 'MachineDeployments to wait for' }),
  namespace: flag.text('namespace', {
    value: 'name',
    default: 'default',
    help: 'namespace of the MachineDeployments',
  }),
  timeout: flag.duration('timeout', { default: '4h', help: 'time limit; the command then exits with code 1' }),
  progressTimeout: flag.duration('progress-timeout', {
    default: '45m',
    help: 'time limit without progress of any Mac; two hours while a vendor reinstalls or restarts a Mac',
  }),
  kubeconfig: programFlags.kubeconfig,
};

export type GateFlags = ParsedFlags<typeof FLAGS>;

export const gateFlags = defineFlags({
  program: 'minifleet-provider wait-for-fleets',
  summary: 'wait until fleets are Available, and print what each Mac waits for',
  flags: FLAGS,
  invalid: problem => GATE_FLAG_WRONG({ problem }),
});

export function parseGateFlags(argv: readonly string[]): GateFlags {
  const flags = gateFlags.parse(argv);
  if (flags.fleets.length === 0) throw GATE_FLAG_WRONG({ problem: '--fleets names no MachineDeployment to wait for' });
  return flags;
}
