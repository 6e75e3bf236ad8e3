import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { names, planUnstick, stuckCauses } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { type KubeEvent, nodes, pods } from '@minifleet/kube';
import { events } from '@minifleet/kube/client';
import { tartOf } from '@minifleet/world/mac';
import { FAULT_WITHOUT_EFFECT } from './errors.ts';
import type { FaultTarget } from './fault-target.ts';
import { AGENT, readAgentJob } from './fixtures/agent-job.ts';
import { listVms } from './fixtures/host-user.ts';
import { awaitPrecondition, orRevert } from './fixtures/preconditions.ts';
import { createTestPod, type TestPod, terminationOf } from './fixtures/test-pod.ts';
import { type Incident, REPAIRED_WITHIN } from './incident.ts';
import { withTart } from './tart-host.ts';

/** A finalizer whose owner no longer exists. */
const UNKNOWN_FINALIZER = 'example.com/left-behind';
const PODS_OF_OLDER_AGENT = 3;

/** Returns the note of the provider's StuckTerminating event about a Pod. */
async function findStuckNote({ client }: FaultTarget, { name }: TestPod): Promise<string | undefined> {
  const { items } = await client.list(events, { namespace: 'default', fieldSelector: 'reason=StuckTerminating' });
  const isAbout = ({ regarding }: KubeEvent): boolean => regarding?.name === name;
  return items.find(isAbout)?.note;
}

/** Checks that a dry run of `minifleet unstick pods` lists the Pod with its cause. */
async function isListedByUnstick({ client, clock }: FaultTarget, { name }: TestPod): Promise<boolean> {
  const [all, macs] = await Promise.all([client.list(pods, { namespace: 'default' }), client.list(nodes)]);
  const plan = planUnstick({ pods: all.items, nodes: macs.items, now: clock.now(), stuckAfter: 0 });
  const verdict = plan.find(({ pod }) => pod.metadata.name === name)?.verdict;
  return verdict?.kind === 'stuck' && stuckCauses[verdict.cause] === stuckCauses.OtherFinalizer;
}

interface CrashingGuest {
  crash(): Promise<void>;
  remove(): Promise<void>;
}

/** From now on guests of this host crash on demand. */
async function createCrashingGuest(target: FaultTarget): Promise<CrashingGuest> {
  const folder = await mkdtemp(join(tmpdir(), 'minifleet-break-'));
  const gate = join(folder, 'crash');
  const tart = tartOf(target.mac());
  const { guests = {} } = tart.host;
  const script = `until [ -e ${gate} ]; do sleep 0.1; done`;
  tart.change({ guests: { ...guests, default: { ...guests.default, script, afterwards: 'crash' } } });
  return {
    crash: () => writeFile(gate, ''),
    async remove() {
      tart.change({ guests });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Lets the guest of a Pod crash while the agent is stopped. */
async function crashWithoutAgent(target: FaultTarget, pod: TestPod, guest: CrashingGuest): Promise<void> {
  const { metadata } = await pod.reaches('Running');
  await target.run(`launchctl bootout ${AGENT}`);
  await awaitPrecondition(target, 'its agent to stop', async () => (await readAgentJob(target)).pid === undefined);
  // Immediately: the provider needs longer to start the agent again.
  await guest.crash();
  await awaitPrecondition(target, 'the VM to crash', async () => {
    const running = await listVms(target, 'running');
    return !running.some(vm => vm.includes(metadata.uid ?? ''));
  });
}

/** Incidents with Pods that are deleted or crash. */
export const podIncidents: readonly Incident[] = [
  {
    id: 'I09',
    title: 'a finished Pod that is deleted stays Terminating',
    live: {
      fault: 'a finished Pod is deleted',
      fleets: ['macos'],
      expected: 'the Pod and its VM are gone within one sync of the agent',
      within: seconds(60),
      async inject(target) {
        const pod = await createTestPod(target, { name: 'finished', script: 'exit 0' });
        const { metadata } = await pod.reaches('Succeeded');
        await pod.delete();
        return {
          action: `ran ${pod.name} to completion and deleted it`,
          async check() {
            const vms = await listVms(target);
            if ((await pod.find()) || vms.some(vm => vm.includes(metadata.uid ?? ''))) return undefined;
            const time = ((target.clock.now() - target.since) / 1_000).toFixed(0);
            return { repaired: `${pod.name} is gone, ${time} s after its creation` };
          },
          cleanUp: () => pod.remove(),
        };
      },
    },
  },
  {
    id: 'I10',
    title: 'hundreds of Pods are stuck, and the controller counts none',
    live: {
      fault: 'Pods stay Terminating: some with the finalizer of the older agent, one with an unknown finalizer',
      fleets: ['macos'],
      expected: 'the Pods whose VM has ended are released, and the cause is reported for the other one',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const finalizers = [...Array<string>(PODS_OF_OLDER_AGENT).fill(names.finalizers.vmCleanup), UNKNOWN_FINALIZER];
        const created = await Promise.all(
          finalizers.map((finalizer, index) =>
            createTestPod(target, { name: `held-${index}`, script: 'exit 0', finalizers: [finalizer] }),
          ),
        );
        const held = created.at(-1) as TestPod;
        const cleanUp = async (): Promise<void> => void (await Promise.all(created.map(pod => pod.remove())));
        await orRevert(cleanUp, async () => {
          for (const pod of created) await pod.reaches('Succeeded');
          await Promise.all(created.map(pod => pod.delete()));
          if (!(await held.find()))
            throw FAULT_WITHOUT_EFFECT({ incident: 'I10', host: target.name, output: `${held.name} is gone` });
        });
        return {
          action: `ran ${created.length} Pods with finalizers to completion and deleted them`,
          async check() {
            const left = await Promise.all(created.slice(0, -1).map(pod => pod.find()));
            const note = await findStuckNote(target, held);
            if (left.some(Boolean) || note === undefined || !(await isListedByUnstick(target, held))) return undefined;
            return { reported: `${held.name}: ${note}; ${left.length} other Pods were released` };
          },
          cleanUp,
        };
      },
    },
  },
  {
    id: 'I38',
    title: 'a crashed VM is reported as succeeded',
    oldWay: {
      procedure: 'used the exit status of tart run as exit status of the guest',
      symptom: /due to error.*exit status 0, reported Succeeded/s,
      run: env =>
        withTart(env, { guests: { byName: { job: { crashesAfterSeconds: 1 } } } }, async tart => {
          await tart.call(['create', 'job', '--from-ipsw', 'latest']);
          const { code, stdout } = await tart.call(['run', 'job', '--no-graphics']);
          return `${stdout}exit status ${code}, reported ${code === 0 ? 'Succeeded' : 'Failed'}`;
        }),
    },
    coveredBy:
      'packages/tart-kubelet/testing/faults/kill-table.cluster.test.ts, packages/tart-kubelet/guests/kill-table.contract.test.ts',
    live: {
      fault: 'a VM crashes while the agent is stopped',
      fleets: ['macos'],
      expected: 'the Pod is reported as crashed once, and is not run again',
      within: REPAIRED_WITHIN,
      async inject(target) {
        const guest = await createCrashingGuest(target);
        const pod = await createTestPod(target, { name: 'crashes' });
        const cleanUp = async (): Promise<void> => {
          await pod.remove();
          await guest.remove();
        };
        await orRevert(cleanUp, () => crashWithoutAgent(target, pod, guest));
        return {
          action: `stopped the agent, then let the VM of ${pod.name} crash`,
          async check() {
            const found = await pod.find();
            const end = terminationOf(found);
            const once = found?.status?.containerStatuses?.[0]?.restartCount === 0;
            return end?.reason === 'VMCrashed' && found?.status?.phase === 'Failed' && once && (await target.isReady())
              ? { reported: `${pod.name} failed with ${end.exitCode}, ${end.reason}: ${end.message}` }
              : undefined;
          },
          cleanUp,
        };
      },
    },
  },
];
