import { formatDuration, milliseconds, seconds } from '@minifleet/clock';
import type { ClockSkew } from './parse-facts.ts';
import type { InspectedFacts } from './read-facts.ts';

/** Renders facts as pairs of name and value. */
export function factLines(facts: InspectedFacts): readonly (readonly [string, string])[] {
  const { macos, model, cpus, memoryBytes, uptimeSeconds, disk, skew, screen, ledger, lease } = facts;
  const show = <T>(value: T | undefined, render: (value: T) => string): string =>
    value === undefined ? 'unknown' : render(value);
  return [
    ['macOS', show(macos, ({ version, build }) => `${version} (${build})`)],
    ['hardware', `${model ?? 'Mac'}, ${show(cpus, String)} CPUs, ${show(memoryBytes, formatBytes)} memory`],
    ['up for', show(uptimeSeconds, up => formatDuration(seconds(up)))],
    ['disk', show(disk, ({ freeBytes, totalBytes }) => `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`)],
    ['clock', show(skew, formatSkew)],
    ['FileVault', facts.fileVault.replace(/^FileVault is (\w+)\.$/, (_, state: string) => state.toLowerCase())],
    ['sudo', facts.sudo ? 'passwordless' : 'needs a password'],
    ['screen', show(screen, screenText)],
    ['lease', lease?.held ? leaseText(lease) : 'free'],
    ['converged', ledger === undefined ? 'no record on the host' : ledgerText(ledger)],
  ];
}

const screenText = ({ session, loginWindowRuns, sealed }: NonNullable<InspectedFacts['screen']>): string =>
  [
    session ? 'logged in' : 'not logged in',
    ...(loginWindowRuns ? [] : ['the login window is not running']),
    ...(sealed ? ['the auto-login password is sealed'] : []),
  ].join(', ');

const leaseText = ({ holder, silentFor }: NonNullable<InspectedFacts['lease']>): string =>
  `held by ${holder}, last renewed ${formatDuration(silentFor)} ago`;

const ledgerText = ({ converged, at, holder, plan }: NonNullable<InspectedFacts['ledger']>): string =>
  `${converged ? 'yes' : 'no'}, at ${at} by ${holder}, plan ${plan.slice(0, 12)}`;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Renders `61.4 GB` in decimal units, like the Finder. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1_000 ** power).toFixed(1))} ${UNITS[power]}`;
}

/** Renders `in sync` with the precision of the measurement, or the minimum skew. */
export function formatSkew({ least, most }: ClockSkew): string {
  if (least <= 0 && most >= 0) return `in sync (measured within ${formatDuration(milliseconds(most - least))})`;
  return least > 0
    ? `${formatDuration(milliseconds(least))} ahead of the local clock`
    : `${formatDuration(milliseconds(-most))} behind the local clock`;
}
