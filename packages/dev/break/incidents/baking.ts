import { seconds } from '@minifleet/clock';
import { tartOf } from '@minifleet/world/mac';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { AGENT, agentJobOf } from '../scenes/agent-job.ts';
import { asUser, TART } from '../scenes/as-user.ts';
import { awaitScene } from '../scenes/await-scene.ts';
import { requireHurt } from '../scenes/old-way.ts';
import { orPutBack } from '../scenes/or-put-back.ts';
import { pushBake } from '../scenes/push-bake.ts';
import { vmsOn } from '../scenes/vms-on-host.ts';
import type { Stage } from '../stage.ts';

const VM = 'tuist-runner';

/** What happened to bakes. */
export const bakingBreakages: readonly Breakage[] = [
  {
    id: 'I25',
    title: 'the keychain of a builder asks at the screen, where nobody is',
    fleets: ['builders'],
    promise: 'a bake is pushed with the credentials of its environment, and nothing logs in',
    within: seconds(90),
    async strike(stage) {
      const tart = tartOf(stage.mac());
      const login = `echo secret | ${TART} login ghcr.io --username robot --password-stdin`;
      await asUser(stage, `${login}; ${TART} create ${VM} --from-ipsw latest`, { screen: true });
      const tidy = async (): Promise<void> => {
        tart.change({ keychainLocked: false });
        await asUser(stage, `${TART} logout ghcr.io; ${TART} delete ${VM}`);
      };
      tart.change({ keychainLocked: true });
      const { err } = await asUser(stage, `${login}; ${TART} push ${VM} ghcr.io/acme/lost:1`, { screen: true });
      const bake = await orPutBack(tidy, async () => {
        requireHurt(stage, { id: 'I25', seen: /User interaction is not allowed[\s\S]*-25308/ }, err);
        return pushBake(stage, VM);
      });
      return {
        did: 'locked the keychain: tart login and a push that relies on it fail; then pushed as our workflow does',
        look: async () => (bake.pushed() ? { healed: `${bake.image} is pushed, the keychain unasked` } : undefined),
        tidy,
      };
    },
  },
  {
    id: 'I28',
    title: 'the agent starts anew while a VM that no Pod backs is being pushed',
    fleets: ['builders'],
    promise: 'the Node tells of the VM, nobody deletes it, and the push is whole',
    within: HEALED_WITHIN,
    async strike(stage) {
      const tart = tartOf(stage.mac());
      await asUser(stage, `${TART} create ${VM} --from-ipsw latest`, { screen: true });
      tart.change({ push: { holds: 'disk' } });
      const tidy = async (): Promise<void> => {
        tart.change({ push: {} });
        await asUser(stage, `${TART} delete ${VM}`);
      };
      const bake = await pushBake(stage, VM);
      const isUnderWay = async (): Promise<boolean> => bake.said().includes('pushing disk');
      await orPutBack(tidy, () => awaitScene(stage, 'the disk is being pushed', isUnderWay));
      const before = { ...(await agentJobOf(stage)), ...(await foreignVMs(stage)) };
      // An agent collects when it starts: the pass that met the push of the incident.
      await stage.run(`launchctl kickstart -k ${AGENT}`);
      return {
        did: `began to push the VM ${VM}, and started the agent anew while its disk goes up`,
        async look() {
          const { pid } = await agentJobOf(stage);
          const { told, lookedAt } = await foreignVMs(stage);
          const anew = pid !== undefined && pid !== before.pid && lookedAt !== before.lookedAt;
          if (!anew || !told?.includes(VM) || !(await stage.isWell())) return undefined;
          tart.change({ push: {} });
          const kept = (await vmsOn(stage)).includes(VM);
          return kept && bake.pushed()
            ? { healed: `${bake.image} is pushed whole; the Node says: ${told}` }
            : undefined;
        },
        tidy,
      };
    },
  },
];

/** What the Node says of VMs that are none of its guests, and when its agent last looked. */
async function foreignVMs(stage: Stage) {
  const conditions = (await stage.node())?.status?.conditions ?? [];
  const found = conditions.find(({ type }) => type === 'ForeignVMs');
  return { told: found?.status === 'True' ? found.message : undefined, lookedAt: found?.lastHeartbeatTime };
}
