import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { createRedactor } from '@minifleet/host';
import { createEventRecorder, errorFields } from '@minifleet/kube';
import { collectRegularly, garbageCollection } from '../gc/garbage-collection.ts';
import { defaultRetention } from '../gc/image-retention.ts';
import { createGuests } from '../guests/guests.ts';
import { createTart } from '../guests/tart.ts';
import { createGuiSession } from '../gui-session/gui-session.ts';
import { openThisMac } from '../gui-session/open-this-mac.ts';
import { readHostFacts } from '../host-facts/host-facts.ts';
import { createRun } from '../host-facts/run-command.ts';
import { createIdentity } from '../identity/node-identity.ts';
import { createImages } from '../images/create-images.ts';
import { readDiskSpace } from '../images/disk-account.ts';
import { openImageLedger } from '../images/image-ledger.ts';
import { ledgerFile } from '../images/ledger-file.ts';
import { createNode, type MacNode } from '../node/create-node.ts';
import { openAgentLog } from '../observe/agent-log.ts';
import { createAgentMetrics } from '../observe/agent-metrics.ts';
import { watchStarts } from '../observe/start-stages.ts';
import { createPods } from '../pods/pods.ts';
import { createSlotQueue } from '../pods/slot-queue.ts';
import { countForeignVms } from './count-foreign-vms.ts';
import type { Flags } from './flags.ts';
import { nodeView } from './node-view.ts';
import { serve } from './serve.ts';

export interface AgentSurroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The account of the session at the screen, as whom the agent runs. */
  readonly user: string;
  readonly version: string;
  /** How this program is started as a supervisor; the guest's folder follows. */
  readonly supervisor: readonly [string, ...string[]];
  readonly signal: AbortSignal;
}

/** Apple's licence, and its kernel, allow two macOS guests at a time. */
const VM_SLOTS = 2;

/** The whole agent, until the signal aborts. Guests are left running: the next agent finds them again. */
export async function runAgent(flags: Flags, around: AgentSurroundings): Promise<void> {
  const { clock, environment, signal } = around;
  const logs = join(flags.logDirectory, 'pods');
  const log = openAgentLog({
    path: join(flags.logDirectory, 'tart-kubelet.log'),
    level: flags.logLevel,
    clock,
    node: flags.nodeName,
    redactor: createRedactor(),
  });
  log.info({ version: around.version, flags }, 'The agent starts');
  try {
    await work({ ...around, flags, log, logs, tartHome: tartHomeOf(environment) });
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), 'The agent ends');
    throw error;
  } finally {
    log.info({}, 'The agent has ended');
    log.close();
  }
}

const tartHomeOf = ({ TART_HOME, HOME }: AgentSurroundings['environment']): string =>
  TART_HOME ?? join(HOME ?? '/var/empty', '.tart');

interface Work extends AgentSurroundings {
  readonly flags: Flags;
  readonly log: ReturnType<typeof openAgentLog>;
  readonly logs: string;
  readonly tartHome: string;
}

async function work(given: Work): Promise<void> {
  const { clock, environment, flags, log, logs, tartHome, signal } = given;
  const run = createRun({ environment });
  const metrics = createAgentMetrics();
  const tart = createTart({ path: flags.tart, home: tartHome, environment, clock });
  const slots = createSlotQueue({ total: VM_SLOTS });
  let node: MacNode | undefined;
  let recovered = false;

  const made = createGuests({ ...given, directory: flags.stateDirectory, tart, tartPath: flags.tart });
  const guests = {
    ...made,
    async recover() {
      await made.recover();
      recovered = true;
      node?.refresh();
    },
  };
  guests.onChange(() => metrics.guests(guests.all()));

  const ledger = await openImageLedger({ file: ledgerFile(join(flags.stateDirectory, 'images.json')), clock, log });
  const identity = createIdentity({
    clock,
    log,
    nodeName: flags.nodeName,
    bootstrapKubeconfig: flags.kubeconfig,
    directory: join(flags.stateDirectory, 'pki'),
    servingHosts: () => node?.hosts() ?? [],
    onChange: () => node?.refresh(),
  });
  const following = identity.run(signal);
  await Promise.race([identity.joined, following]);
  if (signal.aborted) return;

  const { client } = identity;
  const events = createEventRecorder({
    client,
    clock,
    log,
    metrics: metrics.kube,
    controller: 'kubelet',
    instance: flags.nodeName,
  });
  const session = createGuiSession({
    host: openThisMac({ clock, user: given.user, name: flags.nodeName, environment }),
    user: given.user,
    log,
    onRepaired: () => node?.probes.guiSession.lookSoon(),
  });
  const collector = garbageCollection(flags.disableVmGc, {
    tart,
    guests,
    ledger,
    clock,
    log,
    disk: () => readDiskSpace(tartHome),
    retention: defaultRetention,
    pods: () => (pods.synced && recovered ? pods.list().map(seen) : undefined),
    golden: () => ({ names: flags.goldenImages, labels: Object.keys(node?.current?.metadata.labels ?? {}) }),
    directories: { tart: tartHome, pods: join(flags.stateDirectory, 'pods'), logs },
    onCollected: metrics.collected,
  });
  const images = createImages({ tart, clock, log, ledger, reclaim: collector?.collect, onPulled: metrics.pulled });
  node = createNode({
    client,
    clock,
    log,
    events,
    run,
    tart,
    images,
    settings: {
      name: flags.nodeName,
      providerId: flags.providerId,
      labels: flags.labels,
      maxPods: flags.maxPods,
      vmSlots: VM_SLOTS,
      hostCpu: flags.hostCpu,
      hostMemoryMegabytes: flags.hostMemoryMb,
      kubeletPort: flags.port,
      version: given.version,
      declaredFeatures: ['ExtendWebSocketsToKubelet'],
    },
    facts: await readHostFacts(run, flags.nodeName),
    nodeIp: flags.nodeIp,
    interfaces: networkInterfaces,
    guiSession: async () => {
      const finding = await session.check();
      metrics.guiSession(finding.status === 'True');
      return finding;
    },
    diskPath: tartHome,
    certificates: () => identity.finding(),
    onAddresses: () => identity.addressesChanged(),
    guestsRecovered: () => recovered,
  });
  const pods = createPods({
    nodeName: flags.nodeName,
    client,
    clock,
    log,
    events,
    guests,
    images,
    slots,
    node: () => nodeView(flags.nodeName, node?.current),
    directories: { state: flags.stateDirectory, logs },
    beforeStart: () => session.require(),
    stages: watchStarts(clock, metrics.started),
  });
  await Promise.all([
    following,
    node.run(signal),
    pods.run(signal),
    countForeignVms({ tart, slots, metrics, clock, log, signal }),
    serve({ ...given, client, identity, pods, guests, run, metrics, node: () => node?.current }),
    collector ? collectRegularly({ clock, reclaim: images.reclaim, signal }) : undefined,
  ]);
  made.close();
  await events.flush();
}

const seen = ({ metadata, spec }: { metadata: { uid?: string }; spec?: { containers: { image?: string }[] } }) => ({
  uid: metadata.uid ?? '',
  images: spec?.containers.flatMap(({ image }) => image ?? []) ?? [],
});
