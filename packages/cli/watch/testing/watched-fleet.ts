import { names } from '@minifleet/api';
import { eventually } from '@minifleet/clock/testing';
import { createEventRecorder, createMetrics, type KubeObject, nodes, silentLog } from '@minifleet/kube';
import { machines } from '../../cluster/resources.ts';
import type { CliContext } from '../../context.ts';
import { commandLine } from '../../testing/command-line.ts';
import { type FleetCluster, fleetCluster, hostId } from '../../testing/fleet-cluster.ts';

export const ready = { type: 'Ready', status: 'True', reason: 'Ready' } as const;
export const served = { initialization: { provisioned: true } } as const;
export const drifted = {
  type: 'HostBootstrapped',
  status: 'False',
  reason: 'DriftFound',
  message: 'agent-binary: another file than was sent, of 104857600 bytes, which the kernel kills for its signature',
} as const;
export const bootstrapped = { type: 'HostBootstrapped', status: 'True', reason: 'HostBootstrapped' } as const;

/** Creates two Macs in service, the second with a Node, and functions to change it and to run the command. */
export async function watchedFleet() {
  const cluster = await fleetCluster();
  const { client, clock, machine, status } = cluster;
  for (const n of [1, 2]) {
    await machine(`mac-${n}`, { fleet: 'runners', spec: { claimRef: { name: hostId(n), epoch: 1 } } });
    await status(`mac-${n}`, served, [ready]);
  }
  const providerID = `${names.providerIDScheme}://fr-par-1/${hostId(2)}`;
  await client.create(nodes, { metadata: { name: 'node-2' }, spec: { providerID } });
  const known = { log: silentLog, metrics: createMetrics(), controller: 'minifleet.dev/test', instance: 'test' };
  const recorder = createEventRecorder({ client, clock, ...known });
  const event = async (type: 'Normal' | 'Warning', reason: string, note: string, about?: KubeObject): Promise<void> => {
    const regarding = about ?? (await client.get(machines, { namespace: 'fleet', name: 'mac-2' }));
    recorder.record({ regarding, type, reason, action: 'Test', note });
    await recorder.flush();
  };
  const nodeReady = (holds: 'True' | 'False' | 'Unknown', message: string): Promise<unknown> => {
    const body = { status: { conditions: [{ type: 'Ready', status: holds, reason: 'Kubelet', message }] } };
    return client.patch(nodes, { name: 'node-2' }, { type: 'merge', body }, { subresource: 'status' });
  };
  return {
    ...cluster,
    event,
    broken: () => event('Warning', 'Broken', 'I19 the agent’s binary was overwritten in place'),
    nodeReady,
    watching: (argv: readonly string[] = [], context: Partial<CliContext> = {}) => startWatch(cluster, argv, context),
  };
}

export type WatchedFleetFixture = Awaited<ReturnType<typeof watchedFleet>>;

/** Runs the command and collects its output. */
function startWatch(cluster: FleetCluster, argv: readonly string[], context: Partial<CliContext>) {
  const stop = new AbortController();
  let output = '';
  const write = (text: string): string => (output += text);
  const run = commandLine({ ...cluster.context, output: { write }, signal: stop.signal, ...context })('watch', ...argv);
  return {
    run,
    text: () => output,
    /** Lines without the time of day. */
    lines: () =>
      output
        .split('\n')
        .filter(Boolean)
        .map(line => line.replace(/^\d\d:\d\d:\d\d {2}/, '')),
    sees: (expected: string | RegExp) =>
      eventually(() => (typeof expected === 'string' ? output.includes(expected) : expected.test(output)), {
        what: `${expected} in ${output}`,
      }),
    stop: () => {
      stop.abort();
      return run;
    },
  };
}
