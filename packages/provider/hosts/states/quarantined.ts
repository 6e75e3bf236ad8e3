import { type Duration, milliseconds } from '@minifleet/clock';
import type { StateHandler } from '../host-scope.ts';
import { deleteLeftNodes } from '../left-nodes.ts';
import { forgetConsumer } from './available.ts';

/** No machine gets the host. A quarantine after failures ends by itself, unless it has no end. */
export const quarantined: StateHandler = async (scope, deps) => {
  const { host } = scope;
  const { clock } = deps;
  forgetConsumer(host);
  await deleteLeftNodes(scope, deps);
  const { quarantine } = host.spec;
  if (quarantine) return { ready: false, reason: 'NotReady', message: `Quarantined: ${quarantine.reason}` };
  const { until, reasons = [] } = host.status?.quarantine ?? {};
  const failures = `failures: ${reasons.join(', ')}`;
  if (until === undefined) {
    const message = `Quarantined until an operator runs minifleet release ${host.metadata.name}; ${failures}`;
    return { ready: false, reason: 'NotReady', message };
  }
  const again: Duration = milliseconds(Math.max(0, Date.parse(until) - clock.now()));
  return { ready: false, reason: 'NotReady', message: `Quarantined until ${until}; ${failures}`, again };
};
