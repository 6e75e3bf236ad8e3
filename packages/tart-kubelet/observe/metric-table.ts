import { metricsNamed } from '@minifleet/kube';

const { gauge, counter, histogram } = metricsNamed('tart_kubelet_');

const PULL_BUCKETS = [0.25, 1, 5, 15, 30, 60, 120, 300, 600, 1_200, 2_400, 4_800];
const STAGE_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280];

/** Metrics of the agent, in addition to those of its API client. All label values are constants, so the number of series is fixed. */
export const agentMetricTable = {
  guests: gauge('guests', 'VMs by state', ['state']),
  slots: gauge('vm_slots', 'VM slots by use: used, foreign, free', ['use']),
  foreignVms: gauge(
    'foreign_vms',
    'VMs that the agent does not manage, running or not; the condition `ForeignVMs` has their names',
  ),
  startSeconds: histogram('pod_start_seconds', 'Time to Running, by stage', ['stage'], STAGE_BUCKETS),
  pullSeconds: histogram('image_pull_seconds', 'Duration of an image pull, by result', ['result'], PULL_BUCKETS),
  pullBytes: counter('image_pull_bytes_total', 'Compressed bytes pulled from registries'),
  collections: counter('gc_passes_total', 'Garbage collection runs, by reason', ['reason']),
  removed: counter('gc_removed_total', 'Objects that garbage collection deleted, by kind', ['kind']),
  freedBytes: counter('gc_freed_bytes_total', 'Bytes that garbage collection freed, as the file system reports them'),
  diskBytes: gauge(
    'disk_bytes',
    'Disk usage behind `DiskPressure` and `ImageStoreHealthy`, by part: total, free, images, own_images (pulled by this agent), ' +
      'guests, others, promised (compressed bytes that current pulls still need). Clones share blocks with their image, so the ' +
      'parts may add up to more than the total',
    ['part'],
  ),
  guiSession: gauge('gui_session_ready', '1 while the user is logged in to the GUI session'),
  lostLogLines: gauge('log_lines_lost', 'Lines of the agent log that could not be written'),
} as const;
