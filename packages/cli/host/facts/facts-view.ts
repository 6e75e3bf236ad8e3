import { formatDuration, seconds } from '@minifleet/clock';
import { formatBytes, formatSkew } from './in-words.ts';
import type { InspectedFacts } from './read-facts.ts';

/** What a host is and how it does, as lines of a name and words. */
export function factLines(facts: InspectedFacts): readonly (readonly [string, string])[] {
  const { macos, model, cpus, memoryBytes, uptimeSeconds, disk, skew, screen, ledger, lease } = facts;
  const told = <T>(value: T | undefined, words: (value: T) => string): string =>
    value === undefined ? 'cannot be told' : words(value);
  return [
    ['macOS', told(macos, ({ version, build }) => `${version} (${build})`)],
    ['hardware', `${model ?? 'Mac'}, ${told(cpus, String)} CPUs, ${told(memoryBytes, formatBytes)} memory`],
    ['up for', told(uptimeSeconds, up => formatDuration(seconds(up)))],
    ['disk', told(disk, ({ freeBytes, totalBytes }) => `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`)],
    ['clock', told(skew, formatSkew)],
    ['sudo', facts.sudo ? 'without a password' : 'asks for a password'],
    ['screen', told(screen, screenWords)],
    ['lease', lease?.held ? leaseWords(lease) : 'nobody is changing the host'],
    ['converged', ledger === undefined ? 'no record on the host' : ledgerWords(ledger)],
  ];
}

const screenWords = ({ session, loginWindowRuns, sealed }: NonNullable<InspectedFacts['screen']>): string =>
  [
    session ? 'logged in' : 'nobody is logged in',
    ...(loginWindowRuns ? [] : ['the login window is not running']),
    ...(sealed ? ['the auto-login password is sealed'] : []),
  ].join(', ');

const leaseWords = ({ holder, silentFor }: NonNullable<InspectedFacts['lease']>): string =>
  `${holder} is changing the host, last sign of life ${formatDuration(silentFor)} ago`;

const ledgerWords = ({ converged, at, holder, plan }: NonNullable<InspectedFacts['ledger']>): string =>
  `${converged ? 'yes' : 'no'}, at ${at} by ${holder}, plan ${plan.slice(0, 12)}`;
