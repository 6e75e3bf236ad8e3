import path from 'node:path';
import { milliseconds } from '@minifleet/clock';
import { createEventRecorder, createMetrics, silentLog } from '@minifleet/kube';
import { createSyntheticImages } from '@minifleet/tart-kubelet/testing/guests';
import { createPods, createSlotQueue } from '@minifleet/tart-kubelet/testing/pods';
import type { NodeDeps, StartedPods } from './node-deps.ts';
import { allocatable, FLEET_LABEL } from './node-object.ts';

const metrics = createMetrics();

/** The complete Pod implementation of the agent: admission, volumes with a token, image, slot, status, events. */
export function startPushingPods({ name, client, clock, guests, slowPullMs, directory, fleet }: NodeDeps): StartedPods {
  const pullsIn = (image: string) => milliseconds(image.includes('slow') ? slowPullMs : 0);
  const pods = createPods({
    nodeName: name,
    client,
    clock,
    log: silentLog,
    events: createEventRecorder({ client, clock, log: silentLog, metrics, controller: 'kubelet', instance: name }),
    guests,
    images: createSyntheticImages({ clock, pullsIn }),
    slots: createSlotQueue({ total: 2 }),
    node: () => ({
      name,
      labels: { 'kubernetes.io/os': 'darwin', [FLEET_LABEL]: fleet },
      allocatable,
      addresses: ['127.0.0.1'],
    }),
    directories: { state: path.join(directory, 'state'), logs: path.join(directory, 'logs') },
  });
  void pods.run(new AbortController().signal);
  return pods;
}
