import { names, planUnstick, stuckCauses } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { type KubeEvent, nodes, pods } from '@minifleet/kube';
import { events } from '@minifleet/kube/client';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { STRIKE_IN_VAIN } from '../errors.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { createScenePod, endOf, type ScenePod } from '../scenes/scene-pod.ts';
import { vmsOn } from '../scenes/vms-on-host.ts';
import type { Stage } from '../stage.ts';

/** Whose it is, nobody knows any more. */
const SOMEBODY = 'example.com/left-behind';
const HELD_BY_OLDER_AGENT = 3;

/** What happened to Pods that should have gone or should not have come. */
export const podBreakages: readonly Breakage[] = [
  {
    id: 'I09',
    title: 'a Pod that has finished is deleted',
    fleets: ['macos'],
    promise: 'it is gone within one pass of the agent, and its VM with it',
    within: seconds(60),
    async strike(stage) {
      const pod = await createScenePod(stage, { name: 'finished', script: 'exit 0' });
      const { metadata } = await pod.reaches('Succeeded');
      await pod.delete();
      return {
        did: `ran ${pod.name} to its end and deleted it`,
        async look() {
          const vms = await vmsOn(stage);
          if ((await pod.find()) || vms.some(vm => vm.includes(metadata.uid ?? ''))) return undefined;
          const time = ((stage.clock.now() - stage.since) / 1_000).toFixed(0);
          return { healed: `${pod.name} is gone, ${time} s after it was made` };
        },
        tidy: () => pod.remove(),
      };
    },
  },
  {
    id: 'I10',
    title: 'Pods stay Terminating: some by the older agent’s finalizer, one by somebody’s',
    fleets: ['macos'],
    promise: 'those whose VM has ended are let go, and of the other it is told what holds it',
    within: HEALED_WITHIN,
    async strike(stage) {
      const holders = [...Array<string>(HELD_BY_OLDER_AGENT).fill(names.finalizers.vmCleanup), SOMEBODY];
      const made = await Promise.all(
        holders.map((finalizer, index) =>
          createScenePod(stage, { name: `held-${index}`, script: 'exit 0', finalizers: [finalizer] }),
        ),
      );
      const held = made.at(-1) as ScenePod;
      const tidy = async (): Promise<void> => void (await Promise.all(made.map(pod => pod.remove())));
      await orPutBack(tidy, async () => {
        for (const pod of made) await pod.reaches('Succeeded');
        await Promise.all(made.map(pod => pod.delete()));
        if (!(await held.find()))
          throw STRIKE_IN_VAIN({ incident: 'I10', host: stage.name, said: `${held.name} is gone` });
      });
      return {
        did: `ran ${made.length} Pods with finalizers to their ends and deleted them`,
        async look() {
          const left = await Promise.all(made.slice(0, -1).map(pod => pod.find()));
          const told = await wordsOfStuck(stage, held);
          if (left.some(Boolean) || told === undefined || !(await unstickTells(stage, held))) return undefined;
          return { named: `${held.name}: ${told}; ${left.length} others were let go` };
        },
        tidy,
      };
    },
  },
  {
    id: 'I30',
    title: 'an image is baked in a Pod',
    fleets: ['macos'],
    promise: 'the Pod ends with the reason and with where images are baked instead',
    within: seconds(90),
    async strike(stage) {
      // A Mac with Tart as an image: what somebody makes who moves bakes into Pods.
      stage.world.registry.seedImage('acme/builder:1', { software: ['tart/2.32.1'] });
      const script = 'tart create tuist-runner --from-ipsw latest && exec tart run tuist-runner --no-graphics';
      const pod = await createScenePod(stage, { name: 'bake', image: 'ghcr.io/acme/builder:1', script });
      return {
        did: `started ${pod.name}, which runs Packer’s tart run in its VM`,
        async look() {
          const end = endOf(await pod.find());
          return end?.message?.includes('build images on a builder host')
            ? { named: `${pod.name} ended with ${end.exitCode}: ${end.message}` }
            : undefined;
        },
        tidy: () => pod.remove(),
      };
    },
  },
];

/** What the provider's event about a Pod says. */
async function wordsOfStuck({ client }: Stage, { name }: ScenePod): Promise<string | undefined> {
  const { items } = await client.list(events, { namespace: 'default', fieldSelector: 'reason=StuckTerminating' });
  const about = ({ regarding }: KubeEvent): boolean => regarding?.name === name;
  return items.find(about)?.note;
}

/** Whether a dry run of `minifleet unstick pods` shows it with its cause. */
async function unstickTells({ client, clock }: Stage, { name }: ScenePod): Promise<boolean> {
  const [all, macs] = await Promise.all([client.list(pods, { namespace: 'default' }), client.list(nodes)]);
  const plan = planUnstick({ pods: all.items, nodes: macs.items, now: clock.now(), stuckAfter: 0 });
  const verdict = plan.find(({ pod }) => pod.metadata.name === name)?.verdict;
  return verdict?.kind === 'stuck' && stuckCauses[verdict.cause] === stuckCauses.OtherFinalizer;
}
