import { formatAge } from '@minifleet/clock';
import type { Entity } from './entity.ts';
import { isUnhealthy } from './timeline.ts';

/** Renders `9 hosts: 8 healthy, 1 unhealthy (runners-abc12, 12s)`, and the unhealthy fleets and pools. */
export function summaryText(entities: readonly Entity[], now: number): string {
  const hosts = entities.filter(({ snapshot }) => snapshot.kind === 'host');
  const unhealthy = hosts.filter(isUnhealthy);
  const counts = Object.entries(countsOf(hosts)).map(([state, count]) => `${count} ${state}`);
  const problems = unhealthy.length === 0 ? [] : [`${unhealthy.length} unhealthy (${listed(unhealthy, now)})`];
  const others = entities.filter(entity => entity.snapshot.kind !== 'host' && isUnhealthy(entity));
  const otherProblems = others.length === 0 ? '' : `; unhealthy: ${listed(others, now)}`;
  const total = hosts.length === 1 ? '1 host' : `${hosts.length} hosts`;
  const parts = [...counts, ...problems].join(', ');
  return `${total}${parts === '' ? '' : `: ${parts}`}${otherProblems}`;
}

/** Counts the hosts without a problem by state, in display order. */
function countsOf(hosts: readonly Entity[]): Record<string, number> {
  const rest = hosts.filter(host => !isUnhealthy(host));
  const count = (state: string): number => rest.filter(({ snapshot }) => snapshot.state === state).length;
  const states = { starting: count('starting'), paused: count('paused'), deleting: count('deleting') };
  const others = Object.entries(states).filter(([, many]) => many > 0);
  return { ...(hosts.length === 0 ? {} : { healthy: count('healthy') }), ...Object.fromEntries(others) };
}

const listed = (entities: readonly Entity[], now: number): string =>
  entities
    .map(({ snapshot, unhealthySince = now }) => `${displayName(snapshot)}, ${formatAge(unhealthySince, now)}`)
    .join('; ');

/** Returns the name of a host or a Mac without its kind, because most lines are about them. */
export const displayName = ({ kind, name }: Pick<Entity['snapshot'], 'kind' | 'name'>): string =>
  kind === 'host' || kind === 'mac' ? name : `${kind} ${name}`;
