import { drift, type Removal } from '../../engine/step.ts';
import { removeDaemon } from '../../launchd/daemon-script.ts';
import { lookAtDaemon } from '../../launchd/daemon-state.ts';
import { describePaths } from '../agent-binary/path-facts.ts';
import { AGENT_HOME } from '../agent-binary/slots.ts';
import { AGENT_COMMAND, AGENT_LABEL } from './agent-want.ts';

/** The agent off the host: job, property list, links and every program. Its log and its credentials stay. */
export const removal: Removal = {
  async inspect(host) {
    const [{ propertyList, job }, paths] = await Promise.all([
      lookAtDaemon(host, AGENT_LABEL),
      describePaths(host, [AGENT_HOME, AGENT_COMMAND]),
    ]);
    return drift([
      ...(job ? [`launchd still runs ${AGENT_LABEL}, wanted none`] : []),
      ...(propertyList === undefined ? [] : [`the property list of ${AGENT_LABEL} is still there`]),
      ...[AGENT_HOME, AGENT_COMMAND].filter(path => paths.has(path)).map(path => `${path} is still there`),
    ]);
  },
  async change(host) {
    await removeDaemon(host, AGENT_LABEL, [AGENT_COMMAND, AGENT_HOME]);
    return [`took ${AGENT_LABEL} off, with every program of it`];
  },
};
