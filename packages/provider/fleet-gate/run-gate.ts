import { connectClient, inClusterSources, readKubeconfig } from '@minifleet/kube';
import type { ProgramContext } from '@minifleet/kube/program';
import { gateFlags, parseGateFlags } from './gate-flags.ts';
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
