import type { Duration } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { flagValues } from '@minifleet/kube';

export const GATE_FLAG_WRONG = defineError('GATE_FLAG_WRONG', {
  retry: 'operator',
  reason: 'GateFlagWrong',
  text: '{problem}; run `minifleet-provider wait-for-fleets --help` for the flags',
});

/** Which fleets are waited for, where, and for how long. */
export interface GateFlags {
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
  readonly fleets: readonly string[];
  readonly timeout: Duration;
}

const { read, duration } = flagValues(problem => GATE_FLAG_WRONG({ problem }));

export function parseGateFlags(argv: readonly string[]): GateFlags {
  const values = read(argv, {
    kubeconfig: { type: 'string' },
    namespace: { type: 'string', default: 'default' },
    fleets: { type: 'string', default: '' },
    timeout: { type: 'string', default: '30m' },
  });
  const fleets = values.fleets.split(',').filter(name => name !== '');
  if (fleets.length === 0) throw GATE_FLAG_WRONG({ problem: '--fleets names no MachineDeployment to wait for' });
  const { kubeconfig, namespace } = values;
  return { kubeconfig, namespace, fleets, timeout: duration('timeout', values.timeout) };
}

export const GATE_HELP = `minifleet-provider wait-for-fleets: ends well once fleets are Available, and tells what each Mac waits for meanwhile

  --fleets <name,…>    MachineDeployments
  --namespace <name>   where they are; default
  --timeout <30m>      how long they may take; then it ends with 1
  --kubeconfig <file>  the cluster; the Pod’s own account unless given
`;
