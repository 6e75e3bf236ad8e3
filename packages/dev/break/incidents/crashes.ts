import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tartOf } from '@minifleet/world/mac';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { AGENT, agentJobOf } from '../scenes/agent-job.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { createScenePod, endOf, type ScenePod } from '../scenes/scene-pod.ts';
import { vmsOn } from '../scenes/vms-on-host.ts';
import type { Stage } from '../stage.ts';

/** What happened to guests. */
export const crashBreakages: readonly Breakage[] = [
  {
    id: 'I38',
    title: 'a VM crashes while the agent is down',
    fleets: ['macos'],
    promise: 'the Pod is reported as crashed, once, and is not run again',
    within: HEALED_WITHIN,
    async strike(stage) {
      const guest = await crashingGuest(stage);
      const pod = await createScenePod(stage, { name: 'crashes' });
      const tidy = async (): Promise<void> => {
        await pod.remove();
        await guest.remove();
      };
      await orPutBack(tidy, () => crashUnseen(stage, pod, guest));
      return {
        did: `stopped the agent, then had the VM of ${pod.name} crash`,
        async look() {
          const seen = await pod.find();
          const end = endOf(seen);
          const once = seen?.status?.containerStatuses?.[0]?.restartCount === 0;
          return end?.reason === 'VMCrashed' && seen?.status?.phase === 'Failed' && once && (await stage.isWell())
            ? { named: `${pod.name} has failed with ${end.exitCode}, ${end.reason}: ${end.message}` }
            : undefined;
        },
        tidy,
      };
    },
  },
];

interface CrashingGuest {
  crash(): Promise<void>;
  remove(): Promise<void>;
}

/** From now on guests of this host crash when somebody says so. */
async function crashingGuest(stage: Stage): Promise<CrashingGuest> {
  const folder = await mkdtemp(join(tmpdir(), 'minifleet-break-'));
  const gate = join(folder, 'crash');
  const tart = tartOf(stage.mac());
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

/** Has the guest of a Pod end while nobody is there to see it. */
async function crashUnseen(stage: Stage, pod: ScenePod, guest: CrashingGuest): Promise<void> {
  const { metadata } = await pod.reaches('Running');
  await stage.run(`launchctl bootout ${AGENT}`);
  await awaitScene(stage, 'its agent is down', async () => (await agentJobOf(stage)).pid === undefined);
  // A moment later; nobody brings the agent back that soon.
  await guest.crash();
  await awaitScene(stage, 'the VM has crashed', async () => {
    const running = await vmsOn(stage, 'running');
    return !running.some(vm => vm.includes(metadata.uid ?? ''));
  });
}
