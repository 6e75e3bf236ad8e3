import { type PlannedStep, wanted } from '../../engine/step.ts';
import { agentBinary } from '../../steps/agent-binary/agent-binary.ts';
import { agentJob } from '../../steps/agent-job/agent-job.ts';
import { AGENT_LABEL } from '../../steps/agent-job/agent-launchd-job.ts';
import { agentArtifact, agentWant, slotFor } from '../../steps/agent-job/testing/agent-host.ts';
import type { OurScene, OurWay } from './our-way.ts';
import { differencesOf, outcomeOf } from './words-of.ts';

const ROLLS = 12;

/** One version of the agent, as a plan has it: its program, then its job. */
export const agentIn = (version: string): readonly PlannedStep[] => [
  wanted(agentBinary, { artifact: agentArtifact(version) }),
  wanted(agentJob, agentWant(version)),
];

const jobOf = (version: string): PlannedStep => wanted(agentJob, agentWant(version));

/** `running, pid 412`, or what launchd says instead. */
async function jobState({ mac }: OurScene): Promise<string> {
  const { out, err } = await mac.run(`sudo launchctl print system/${AGENT_LABEL} || true`);
  const state = /^\tstate = (.*)$/m.exec(out)?.[1] ?? err.trim();
  const pid = /^\tpid = (\d+)$/m.exec(out)?.[1];
  return pid === undefined ? state : `${state}, pid ${pid}`;
}

const registrations = (scene: OurScene): number =>
  scene.happened().filter(({ what }) => what === 'launchd bootstrap').length;

/** Rolls many versions, ends the agent once, and tells whether launchd brought it back. */
async function respawnAfterRolls(scene: OurScene): Promise<string> {
  const earlier = registrations(scene);
  await outcomeOf(scene, ...agentIn('version 0'));
  const first = registrations(scene);
  for (let roll = 1; roll <= ROLLS; roll++) await outcomeOf(scene, ...agentIn(`version ${roll}`));
  const added = registrations(scene) - first;
  await scene.mac.run('sudo killall -TERM tart-kubelet');
  await scene.mac.run('sleep 300');
  return `the first start is ${first - earlier} registration, ${ROLLS} rolls are ${added} more, and five minutes after it exited: ${await jobState(scene)}`;
}

/** What the agent's incidents come to, done our way. */
export const agentOurWay: readonly OurWay[] = [
  {
    id: 'I17',
    title: 'bootout and bootstrap on every roll, until macOS no longer restarts the agent',
    row: 'plist unchanged → kickstart; changed → verified re-bootstrap; respawn proven',
    did: 'rolled a dozen versions by their link, with the property list as it was, then the agent exited once',
    seen: /^found: .*Background Task Management no longer lets launchd restart it.*; then converged, running, pid \d+; elsewhere the first start is 1 registration, 12 rolls are 0 more, and five minutes after it exited: running, pid \d+$/,
    async run(scene) {
      await scene.oldWay('I17');
      const found = await differencesOf(scene, jobOf('version 1'));
      const outcome = await outcomeOf(scene, ...agentIn('version 1'));
      const state = await jobState(scene);
      const fresh = await scene.another();
      return `found: ${found}; then ${outcome}, ${state}; elsewhere ${await respawnAfterRolls(fresh)}`;
    },
  },
  {
    id: 'I18',
    title: 'a roll is recorded as done though the process never restarted',
    row: 'recorded only with a new, stable pid',
    did: 'waited for a new process that lives; kicked again when there was none, and took the roll back when that did not help',
    seen: /^found: .*launchd does not know dev\.tuist\.tart-kubelet.*; then converged, running, pid (\d+); kicked in vain once: converged, running, pid (?!\1;)(\d+); in vain for good: HOST_AGENT_NOT_STABLE: .*was started before [\da-f]{16} became current; it was rolled back to [\da-f]{16}, which runs.*; running, pid \2$/,
    async run(scene) {
      await scene.oldWay('I18');
      const found = await differencesOf(scene, jobOf('version 2'));
      const outcome = await outcomeOf(scene, ...agentIn('version 2'));
      const first = await jobState(scene);
      scene.kickstartDoesNothing(1);
      const second = await outcomeOf(scene, ...agentIn('version 3'));
      const between = await jobState(scene);
      scene.kickstartDoesNothing();
      const third = await outcomeOf(scene, ...agentIn('version 4'));
      const rolls = `kicked in vain once: ${second}, ${between}; in vain for good: ${third}; ${await jobState(scene)}`;
      return `found: ${found}; then ${outcome}, ${first}; ${rolls}`;
    },
  },
  {
    id: 'I19',
    title: 'the agent’s binary is overwritten in place',
    row: 'signed, new inode, old one kept for rollback',
    did: 'signed it beside, renamed it into a slot of its own, and kept the one before',
    seen: /^converged, running, pid \d+; version 3: converged, running, pid \d+, another inode, [\da-f]{16} is kept$/,
    async run(scene) {
      await scene.oldWay('I19');
      const first = await outcomeOf(scene, ...agentIn('version 2'));
      const firstState = await jobState(scene);
      const before = await inodeOf(scene);
      const second = await outcomeOf(scene, ...agentIn('version 3'));
      const inode = before === (await inodeOf(scene)) ? 'the same inode' : 'another inode';
      const { out } = await scene.mac.run('readlink /usr/local/lib/tart-kubelet/previous');
      const kept = out.trim() === slotFor('version 2') ? `${out.trim()} is kept` : `previous is ${out.trim()}`;
      return `${first}, ${firstState}; version 3: ${second}, ${await jobState(scene)}, ${inode}, ${kept}`;
    },
  },
];

const inodeOf = async ({ mac }: OurScene): Promise<string> =>
  (await mac.run('stat -L -f %i /usr/local/bin/tart-kubelet')).out.trim();
