import { AGENT_LABEL } from '@minifleet/host';
import { machO, root } from '@minifleet/world/mac';
import { FLEETS } from '../../up/fleets/share-hosts.ts';
import { type Breakage, HEALED_WITHIN } from '../breakage.ts';
import { AGENT, AGENT_LIST, agentJobOf, RELOAD, servingAgent, UNTIL_GONE } from '../scenes/agent-job.ts';
import { requireHurt } from '../scenes/old-way.ts';

const BINARY = '/usr/local/bin/tart-kubelet';
const FLAG = '--disable-vm-gc';

/** Counted by macOS, since a repair meanwhile registers it, too. */
const ROLL_UNTIL_FORGOTTEN = `rolls=0
until sfltool dumpbtm | grep -B 1 'Name: ${AGENT_LABEL}' | grep -q '#1[1-9]:' || [ $rolls -ge 20 ]; do
${RELOAD}
rolls=$((rolls + 1))
done
killall -TERM tart-kubelet
left=20
while launchctl print ${AGENT} | grep -q 'pid =' && [ $left -gt 0 ]; do sleep 0.5; left=$((left - 1)); done
launchctl print ${AGENT}`;

/** What happened to agents. */
export const agentBreakages: readonly Breakage[] = [
  {
    id: 'I17',
    title: 'bootout and bootstrap on every roll, until macOS no longer restarts the agent',
    fleets: FLEETS,
    promise: 'the agent that launchd leaves dead is started again',
    within: HEALED_WITHIN,
    async strike(stage) {
      const { out } = await stage.run(ROLL_UNTIL_FORGOTTEN);
      requireHurt(stage, { id: 'I17', seen: /^\tstate = not running$/m }, out);
      const since = stage.clock.now();
      return {
        did: 'rolled with bootout and bootstrap until macOS had enough, then ended the agent once',
        async look() {
          const job = await servingAgent(stage, since);
          return job && { healed: `the agent runs again, pid ${job.pid}, though launchd did not start it by itself` };
        },
        // What macOS has counted stays, and the next incident should meet a launchd that restarts.
        tidy: async () => void (await stage.run('sfltool resetbtm')),
      };
    },
  },
  {
    id: 'I18',
    title: 'a roll is recorded as done though the agent is booted out',
    fleets: FLEETS,
    promise: 'launchd has the agent again, and it runs',
    within: HEALED_WITHIN,
    async strike(stage) {
      // Back to back: the job is still on its way out when it is to come in.
      const { out, err } = await stage.run(`launchctl bootout ${AGENT}
launchctl bootstrap system ${AGENT_LIST}
${UNTIL_GONE}
launchctl print ${AGENT}`);
      requireHurt(stage, { id: 'I18', seen: /Could not find service/ }, `${out}${err}`);
      const since = stage.clock.now();
      return {
        did: 'ran bootout and bootstrap back to back, as a roll that nobody looked at',
        async look() {
          const job = await servingAgent(stage, since);
          return job && { healed: `launchd has the agent again, and it runs, pid ${job.pid}` };
        },
      };
    },
  },
  {
    id: 'I19',
    title: 'the agent’s binary is overwritten in place',
    fleets: ['macos', 'runners'],
    promise: 'the agent is copied anew as another file, and runs',
    within: HEALED_WITHIN,
    async strike(stage) {
      const before = stage.mac().files.read(root, BINARY);
      // As the operators copied it: the same file, other bytes.
      await stage.run(`tee ${BINARY} >/dev/null`, machO('somebody else’s'));
      await stage.run(`launchctl kickstart -k ${AGENT}`);
      return {
        did: `wrote other bytes into ${BINARY} and restarted the agent`,
        async look() {
          const intact = stage.mac().files.read(root, BINARY).equals(before);
          return intact && (await stage.isWell())
            ? { healed: 'the agent’s own binary is there again, and runs' }
            : undefined;
        },
      };
    },
  },
  {
    id: 'I29',
    title: 'a builder’s agent loses a flag on a roll, and would collect the VM under a bake',
    fleets: ['builders'],
    promise: 'the agent runs with the flag again',
    within: HEALED_WITHIN,
    async strike(stage) {
      await stage.run(`sed -i '' '/${FLAG}/d' ${AGENT_LIST}\n${RELOAD}`);
      const { said } = await agentJobOf(stage);
      requireHurt(stage, { id: 'I29', seen: new RegExp(`^(?!.*${FLAG}).*--node-name=`, 's') }, said);
      const since = stage.clock.now();
      return {
        did: `rolled the agent with a property list that lacks ${FLAG}`,
        async look() {
          const job = await servingAgent(stage, since);
          return job?.said.includes(FLAG) ? { healed: `the agent runs with ${FLAG} again, pid ${job.pid}` } : undefined;
        },
      };
    },
  },
];
