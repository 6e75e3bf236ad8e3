import { minutes } from '@minifleet/clock';
import { defineStep, drift } from '../../engine/step.ts';
import { describePaths } from '../../file-info.ts';
import type { Artifact, HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';

/** Directory of agent programs: one slot per content, and links that select the running one. */
export const AGENT_HOME = '/usr/local/lib/tart-kubelet';

/** Links to the running and the previous slot. */
export const CURRENT = `${AGENT_HOME}/current`;
export const PREVIOUS = `${AGENT_HOME}/previous`;

const NAME_LENGTH = 16;

/** Slots are named by content, so that a version is never uploaded twice and two versions never share an inode. */
export const slotOf = (sha256: string): string => sha256.slice(0, NAME_LENGTH);

const isSlot = (name: string): boolean => /^[\da-f]{16}$/.test(name);

export const programIn = (slot: string): string => `${AGENT_HOME}/${slot}/tart-kubelet`;

interface AgentBinarySettings {
  readonly artifact: Artifact;
}

/** The signed agent program in its own slot. Nothing that runs is touched: the step `agent-job` selects the slot. */
export const agentBinary = defineStep<AgentBinarySettings>({
  id: 'agent-binary',
  title: 'node agent program',
  disturbs: 'nothing',
  timeout: minutes(15),

  async inspect(host, { artifact }) {
    const slot = slotOf(artifact.sha256);
    const program = programIn(slot);
    const [held, verified, unused] = await Promise.all([
      host.holdsArtifact(program, artifact),
      host.query(['/usr/bin/codesign', '--verify', program], { root: true }),
      unusedSlots(host, slot),
    ]);
    const differences: string[] = [];
    if (!held) differences.push(`${artifact.name} ${slot} is not uploaded`);
    else if (verified.exitCode !== 0) differences.push(`the code signature of ${program} is broken`);
    // Every rollout leaves one, which the next rollout removes.
    if (unused.length > 1) differences.push(`${unused.length} unused agent programs take disk space`);
    return drift(differences);
  },

  async change(host, { artifact }) {
    const slot = slotOf(artifact.sha256);
    const place = { path: programIn(slot), mode: 0o755, owner: 'root:wheel' };
    // First, so that a full disk has space for the new program.
    const tidied = await host.script('agent-binary-tidy', [slot]);
    if (tidied.exitCode !== 0) throw scriptFailure(host, { command: 'agent-binary-tidy', path: AGENT_HOME }, tidied);
    const sent = await host.upload(place, artifact, { sign: true });
    const removed = tidied.stdout.split('\n').filter(isSlot);
    return [
      ...removed.map(old => `removed unused agent program ${old}`),
      ...(sent === 'sent' ? [`uploaded ${artifact.name} to slot ${slot}`] : []),
    ];
  },
});

/** Slots that are neither running, nor previous, nor desired. */
async function unusedSlots(host: HostView, desired: string): Promise<readonly string[]> {
  const [listed, links] = await Promise.all([
    host.query(['/bin/ls', '-1', AGENT_HOME], { root: true }),
    describePaths(host, [CURRENT, PREVIOUS]),
  ]);
  const used = [desired, links.get(CURRENT)?.target, links.get(PREVIOUS)?.target];
  return listed.stdout.split('\n').filter(name => isSlot(name) && !used.includes(name));
}
