import { formatAge } from '@minifleet/clock';
import type { Entity } from './subject.ts';
import { isUnhealthy } from './timeline.ts';

/** `9 hosts: 8 well, 1 in trouble (runners-abc12, 12 s)`, and the fleets and pools that are. */
export function summaryWords(subjects: readonly Entity[], now: number): string {
  const hosts = subjects.filter(({ sight }) => sight.kind === 'host');
  const troubled = hosts.filter(isUnhealthy);
  const counted = Object.entries(countsOf(hosts)).map(([words, count]) => `${count} ${words}`);
  const trouble = troubled.length === 0 ? [] : [`${troubled.length} in trouble (${listed(troubled, now)})`];
  const others = subjects.filter(subject => subject.sight.kind !== 'host' && isUnhealthy(subject));
  const beside = others.length === 0 ? '' : `; in trouble: ${listed(others, now)}`;
  const all = hosts.length === 1 ? '1 host' : `${hosts.length} hosts`;
  const parts = [...counted, ...trouble].join(', ');
  return `${all}${parts === '' ? '' : `: ${parts}`}${beside}`;
}

/** In this order. */
function countsOf(hosts: readonly Entity[]): Record<string, number> {
  const quiet = hosts.filter(host => !isUnhealthy(host));
  const count = (state: string): number => quiet.filter(({ sight }) => sight.state === state).length;
  const { well, ...rest } = {
    well: count('well'),
    starting: count('starting'),
    paused: count('paused'),
    leaving: count('leaving'),
  };
  const others = Object.entries(rest).filter(([, many]) => many > 0);
  return { ...(hosts.length === 0 ? {} : { well }), ...Object.fromEntries(others) };
}

const listed = (subjects: readonly Entity[], now: number): string =>
  subjects.map(({ sight, troubledSince = now }) => `${calledOf(sight)}, ${formatAge(troubledSince, now)}`).join('; ');

/** A host goes by its name alone: most lines are about one. */
export const calledOf = ({ kind, name }: Pick<Entity['sight'], 'kind' | 'name'>): string =>
  kind === 'host' ? name : `${kind} ${name}`;
