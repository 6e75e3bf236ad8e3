import { minutes } from '@minifleet/clock';
import { defineStep, drift } from '../../engine/step.ts';
import type { Artifact, HostView } from '../../host.ts';
import { scriptFailure } from '../../launchd/script-failure.ts';
import { describePaths } from './path-facts.ts';
import { AGENT_HOME, CURRENT, isSlot, PREVIOUS, programIn, slotOf } from './slots.ts';

export interface AgentBinary {
  readonly artifact: Artifact;
}

/** The agent's program in a slot of its own, signed. Nothing that runs is touched: which slot runs is `agent-job`'s. */
export const agentBinary = defineStep<AgentBinary>({
  id: 'agent-binary',
  title: 'node agent program',
  disturbs: 'nothing',
  timeout: minutes(15),

  async inspect(host, { artifact }) {
    const slot = slotOf(artifact.sha256);
    const program = programIn(slot);
    const [held, verified, unused] = await Promise.all([
      host.holdsArtifact(program, artifact),
      host.look(['/usr/bin/codesign', '--verify', program], { root: true }),
      unusedSlots(host, slot),
    ]);
    const differences: string[] = [];
    if (!held) differences.push(`${artifact.name} ${slot} is not in its slot`);
    else if (verified.exitCode !== 0) differences.push(`the signature of ${program} is broken`);
    // One is left by every roll, and goes with the next.
    if (unused.length > 1) differences.push(`${unused.length} older programs of the agent take space`);
    return drift(differences);
  },

  async change(host, { artifact }) {
    const slot = slotOf(artifact.sha256);
    const place = { path: programIn(slot), mode: 0o755, owner: 'root:wheel' };
    // First, so that a full disk has room for the new one.
    const tidied = await host.script('agent-binary-tidy', [slot]);
    if (tidied.exitCode !== 0) throw scriptFailure(host, { command: 'agent-binary-tidy', path: AGENT_HOME }, tidied);
    const sent = await host.upload(place, artifact, { sign: true });
    const removed = tidied.stdout.split('\n').filter(isSlot);
    return [
      ...removed.map(old => `removed ${old}, which neither runs nor ran before`),
      ...(sent === 'sent' ? [`sent ${artifact.name} into slot ${slot}`] : []),
    ];
  },
});

/** Slots that neither run, nor ran before, nor are wanted. */
async function unusedSlots(host: HostView, wanted: string): Promise<readonly string[]> {
  const [listed, links] = await Promise.all([
    host.look(['/bin/ls', '-1', AGENT_HOME], { root: true }),
    describePaths(host, [CURRENT, PREVIOUS]),
  ]);
  const used = [wanted, links.get(CURRENT)?.target, links.get(PREVIOUS)?.target];
  return listed.stdout.split('\n').filter(name => isSlot(name) && !used.includes(name));
}
