import { minutes } from '@minifleet/clock';
import { defineStep, drift } from '../../engine/step.ts';
import { describePaths } from '../../file-info.ts';
import type { Artifact, HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';

/** Where the agent's programs lie: one folder for each content, and links that say which one runs. */
export const AGENT_HOME = '/usr/local/lib/tart-kubelet';

/** What runs, and what ran before it: links to a slot's name. */
export const CURRENT = `${AGENT_HOME}/current`;
export const PREVIOUS = `${AGENT_HOME}/previous`;

const NAME_LENGTH = 16;

/** A slot is named by its content, so that the same version is never sent twice and two versions never share an inode. */
export const slotOf = (sha256: string): string => sha256.slice(0, NAME_LENGTH);

const isSlot = (name: string): boolean => /^[\da-f]{16}$/.test(name);

export const programIn = (slot: string): string => `${AGENT_HOME}/${slot}/tart-kubelet`;

interface AgentBinarySettings {
  readonly artifact: Artifact;
}

/** The agent's program in a slot of its own, signed. Nothing that runs is touched: which slot runs is `agent-job`'s. */
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
    // One is left by every roll, and goes with the next.
    if (unused.length > 1) differences.push(`${unused.length} unused agent programs take disk space`);
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
      ...removed.map(old => `removed unused agent program ${old}`),
      ...(sent === 'sent' ? [`uploaded ${artifact.name} to slot ${slot}`] : []),
    ];
  },
});

/** Slots that neither run, nor ran before, nor are wanted. */
async function unusedSlots(host: HostView, wanted: string): Promise<readonly string[]> {
  const [listed, links] = await Promise.all([
    host.query(['/bin/ls', '-1', AGENT_HOME], { root: true }),
    describePaths(host, [CURRENT, PREVIOUS]),
  ]);
  const used = [wanted, links.get(CURRENT)?.target, links.get(PREVIOUS)?.target];
  return listed.stdout.split('\n').filter(name => isSlot(name) && !used.includes(name));
}
