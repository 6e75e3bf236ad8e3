import { type FleetSpec, hostPlan, type Plan } from '@minifleet/host';
import type { HostAccess } from '../../credentials/credentials.ts';

/** What takes agent, credentials and runner off a host and leaves the rest as it is: only the removals of a plan without them. */
export function quietPlan(
  name: string,
  fleet: FleetSpec,
  { user, password, passwordRejected }: HostAccess,
): { readonly plan: Plan; readonly only: readonly string[] } {
  const { agent: _agent, builder: _builder, ...rest } = fleet;
  const usable = password === undefined || passwordRejected ? {} : { password };
  const plan = hostPlan({ fleet: rest, host: { name, user, ...usable } });
  return { plan, only: plan.steps.filter(({ want }) => want === 'absent').map(({ id }) => id) };
}
