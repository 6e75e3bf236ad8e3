import { type Clock, minutes, seconds } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { TartCli, TartVm } from '../guests/tart.ts';
import { type HostVitals, readHostVitals } from '../host-facts/host-facts.ts';
import type { RunHostCommand } from '../host-facts/run-command.ts';
import type { Images } from '../images/images.ts';
import { type Finding, fails, holds, unknown } from './finding.ts';
import type { NodeImage } from './node-status.ts';
import { createProbe, type Probe } from './probe.ts';

export interface NodeProbeOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly run: RunHostCommand;
  readonly tart: Pick<TartCli, 'version'>;
  /** All VMs of this host, whosever. */
  readonly vms: () => Promise<readonly TartVm[]>;
  readonly images: Pick<Images, 'list'>;
  readonly guiSession: () => Promise<Finding>;
  /** On the volume where VMs are kept. */
  readonly diskPath: string;
  /** Any of them came to something new. */
  readonly onChange: () => void;
}

interface TartLook {
  readonly finding: Finding;
  readonly version: string | undefined;
}

interface ImageLook {
  readonly finding: Finding;
  /** Undefined: keep what was known. */
  readonly images: readonly NodeImage[] | undefined;
}

/** Everything on this Mac that a Node's status speaks of, each looked at on its own timer. */
export interface NodeProbes {
  readonly vitals: Probe<HostVitals>;
  readonly tart: Probe<TartLook>;
  readonly imageStore: Probe<ImageLook>;
  readonly vms: Probe<readonly TartVm[]>;
  readonly guiSession: Probe<Finding>;
  run(signal: AbortSignal): Promise<void>;
}

export function createNodeProbes(options: NodeProbeOptions): NodeProbes {
  const vitals = createProbe<HostVitals>({
    ...options,
    name: 'vitals',
    every: seconds(10),
    within: seconds(20),
    look: () => readHostVitals(options.run, options.diskPath),
  });
  const guiSession = createProbe<Finding>({
    ...options,
    name: 'GUI session',
    every: seconds(30),
    within: seconds(20),
    look: options.guiSession,
    failed: error => unknown('SessionNotAsked', `the session cannot be asked for: ${messageOf(error)}`),
  });
  // Nobody tells when somebody else starts a VM. A list that failed says nothing new of them: `TartReady` is told by Tart's own probe.
  const vms = createProbe<readonly TartVm[]>({
    ...options,
    name: 'VMs',
    every: seconds(30),
    within: seconds(40),
    look: options.vms,
  });
  const [tart, imageStore] = [probeTart(options), probeImageStore(options)];
  return {
    vitals,
    tart,
    imageStore,
    vms,
    guiSession,
    async run(signal) {
      await Promise.all([vitals, tart, imageStore, vms, guiSession].map(probe => probe.run(signal)));
    },
  };
}

const probeTart = (options: NodeProbeOptions): Probe<TartLook> =>
  createProbe<TartLook>({
    ...options,
    name: 'tart',
    every: minutes(1),
    within: seconds(30),
    look: async () => {
      const version = await options.tart.version();
      return { finding: holds('TartAnswers', 'tart answers'), version: version.trim() || undefined };
    },
    failed: error => ({
      finding: fails('TartFailed', `tart does not answer: ${messageOf(error)}`),
      version: undefined,
    }),
  });

const probeImageStore = (options: NodeProbeOptions): Probe<ImageLook> =>
  createProbe<ImageLook>({
    ...options,
    name: 'image store',
    every: minutes(1),
    within: minutes(1),
    look: async () => ({ finding: holds('ImagesListed', 'images can be listed'), images: await options.images.list() }),
    failed: error => ({
      finding: fails('ImagesUnreadable', `images cannot be listed: ${messageOf(error)}`),
      images: undefined,
    }),
  });
