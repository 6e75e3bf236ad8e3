import { type Clock, minutes, seconds } from '@minifleet/clock';
import { type Log, messageOf } from '@minifleet/kube';
import type { TartCli, TartVm } from '../guests/tart.ts';
import { type HostVitals, readHostVitals } from '../host-facts/host-facts.ts';
import type { RunLocalCommand } from '../host-facts/local-command.ts';
import type { Images } from '../images/images.ts';
import { fails, holds, type NodeFinding, unknown } from './finding.ts';
import type { NodeImage } from './node-status.ts';
import { createProbe, type NodeProbe } from './probe.ts';

export interface NodeProbeOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly run: RunLocalCommand;
  readonly tart: Pick<TartCli, 'version'>;
  /** All VMs of this host, including foreign ones. */
  readonly vms: () => Promise<readonly TartVm[]>;
  readonly images: Pick<Images, 'list'>;
  readonly guiSession: () => Promise<NodeFinding>;
  /** Path on the volume that holds the VMs. */
  readonly diskPath: string;
  /** Called when a probe has a new result. */
  readonly onChange: () => void;
}

interface TartProbeResult {
  readonly finding: NodeFinding;
  readonly version: string | undefined;
}

interface ImageProbeResult {
  readonly finding: NodeFinding;
  /** Undefined keeps the previous list. */
  readonly images: readonly NodeImage[] | undefined;
}

/** Probes of this Mac for the Node's status, each on its own timer. */
export interface NodeProbes {
  readonly vitals: NodeProbe<HostVitals>;
  readonly tart: NodeProbe<TartProbeResult>;
  readonly imageStore: NodeProbe<ImageProbeResult>;
  readonly vms: NodeProbe<readonly TartVm[]>;
  readonly guiSession: NodeProbe<NodeFinding>;
  run(signal: AbortSignal): Promise<void>;
}

export function createNodeProbes(options: NodeProbeOptions): NodeProbes {
  const vitals = createProbe<HostVitals>({
    ...options,
    name: 'vitals',
    every: seconds(10),
    within: seconds(20),
    check: () => readHostVitals(options.run, options.diskPath),
  });
  const guiSession = createProbe<NodeFinding>({
    ...options,
    name: 'GUI session',
    every: seconds(30),
    within: seconds(20),
    check: options.guiSession,
    failed: error => unknown('SessionCheckFailed', `GUI session check failed: ${messageOf(error)}`),
  });
  // Polled, because nothing reports a VM started by another process. A failed listing says nothing new about VMs:
  // Tart's own probe sets `TartReady`.
  const vms = createProbe<readonly TartVm[]>({
    ...options,
    name: 'VMs',
    every: seconds(30),
    within: seconds(40),
    check: options.vms,
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

const probeTart = (options: NodeProbeOptions): NodeProbe<TartProbeResult> =>
  createProbe<TartProbeResult>({
    ...options,
    name: 'tart',
    every: minutes(1),
    within: seconds(30),
    check: async () => {
      const version = await options.tart.version();
      return { finding: holds('TartAnswers', 'tart answers'), version: version.trim() || undefined };
    },
    failed: error => ({
      finding: fails('TartFailed', `tart failed: ${messageOf(error)}`),
      version: undefined,
    }),
  });

const probeImageStore = (options: NodeProbeOptions): NodeProbe<ImageProbeResult> =>
  createProbe<ImageProbeResult>({
    ...options,
    name: 'image store',
    every: minutes(1),
    within: minutes(1),
    check: async () => ({
      finding: holds('ImagesListed', 'images can be listed'),
      images: await options.images.list(),
    }),
    failed: error => ({
      finding: fails('ImagesUnreadable', `images cannot be listed: ${messageOf(error)}`),
      images: undefined,
    }),
  });
