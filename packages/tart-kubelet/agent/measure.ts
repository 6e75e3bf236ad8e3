import { cpus, freemem, totalmem, uptime } from 'node:os';
import type { Clock } from '@minifleet/clock';
import type { Guests } from '../guests/guest.ts';
import type { RunLocalCommand } from '../host-facts/local-command.ts';
import type { DiskAccount } from '../images/disk-account.ts';
import type { Pods } from '../pods/pods.ts';
import type { Filesystem, GuestSample, ResourceSamples } from '../server/stats/samples.ts';
import { guestUsages } from './guest-usage.ts';

interface MeasureOptions {
  readonly clock: Clock;
  readonly run: RunLocalCommand;
  readonly guests: Pick<Guests, 'all'>;
  readonly pods: Pick<Pods, 'list'>;
  /** The account of the volume where images and guests are. */
  readonly disk: () => DiskAccount | undefined;
}

/** Measures the host and its guests. CPU time and memory of a guest are those of its processes on the host. */
export async function measure(options: MeasureOptions): Promise<ResourceSamples> {
  const { clock, run } = options;
  const table = await run(['ps', '-axo', 'pid=,ppid=,time=,rss=,command=']);
  const disk = options.disk();
  const at = clock.now();
  const node = {
    at,
    cpuSeconds: cpus().reduce((total, { times }) => total + times.user + times.sys + times.nice, 0) / 1_000,
    workingSetBytes: totalmem() - freemem(),
    availableMemoryBytes: freemem(),
    startedAt: at - uptime() * 1_000,
    filesystem: disk && filesystemOf(disk, disk.totalBytes - disk.freeBytes),
    images: disk && filesystemOf(disk, disk.imageBytes),
  };
  return { node, guests: guestSamples(options, table.stdout, at) };
}

function guestSamples({ guests, pods }: MeasureOptions, table: string, at: number): GuestSample[] {
  const usages = guestUsages(table);
  return guests.all().flatMap(({ spec, state }) => {
    const usage = usages.get(`pod-${spec.id.uid}-${spec.id.attempt}`);
    const pod = pods.list().find(({ metadata }) => metadata.uid === spec.id.uid);
    const container = pod?.spec?.containers[0]?.name;
    if (!usage || !pod || container === undefined || state.phase !== 'running') return [];
    const { namespace = 'default', name } = pod.metadata;
    return [{ at, ...usage, namespace, pod: name, uid: spec.id.uid, container, startedAt: state.startedAt }];
  });
}

const filesystemOf = ({ totalBytes, freeBytes }: DiskAccount, usedBytes: number): Filesystem => ({
  capacityBytes: totalBytes,
  availableBytes: freeBytes,
  usedBytes,
});
