import { UsageError } from '../exit.ts';
import { DEFAULT_SERVICES, SERVICES } from './services.ts';
import type { ProfileRequest } from './tcc-command.ts';

/** A program, known by its signature, and what it may reach. */
export interface PrivacyGrant {
  readonly identifier: string;
  readonly requirement: string;
  readonly services: readonly string[];
}

const BUNDLE_ID = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const PATH = /^(\/[^/\p{Cc}]+)+$/u;
const TEAM = /^[A-Z0-9]{10}$/;

export const isPath = (identifier: string): boolean => identifier.startsWith('/');

/** What is to be granted beside the networks; undefined when nothing is. */
export function readGrant(request: ProfileRequest): PrivacyGrant | undefined {
  const { identifier, team, requirement, services } = request;
  if (identifier === undefined) {
    if (team ?? requirement ?? services)
      throw new UsageError('say which program with --identifier, its bundle id or its path');
    return undefined;
  }
  if (!BUNDLE_ID.test(identifier) && !PATH.test(identifier))
    throw new UsageError(
      `${identifier} is neither a bundle id nor a path: write com.example.program or /opt/homebrew/bin/program`,
    );
  return {
    identifier,
    requirement: team === undefined ? givenRequirement(identifier, requirement) : signedBy(team, identifier),
    services: servicesOf(services ?? DEFAULT_SERVICES),
  };
}

/** Any version the team has signed: an upgrade changes nothing. */
function signedBy(team: string, identifier: string): string {
  if (!TEAM.test(team)) throw new UsageError(`${team} is no team id: it has ten letters and digits, as ABCDE12345`);
  const name = isPath(identifier) ? '' : `identifier "${identifier}" and `;
  return `${name}anchor apple generic and certificate leaf[subject.OU] = "${team}"`;
}

function givenRequirement(identifier: string, requirement = ''): string {
  const given = requirement.trim().replace(/^designated => /, '');
  if (given === '')
    throw new UsageError(
      `macOS knows ${identifier} by its signature: give --team, or --requirement with what "codesign -d -r - <program>" prints`,
    );
  if (/\p{Cc}/u.test(given)) throw new UsageError('a code requirement is one line: give the one after "designated =>"');
  return given;
}

function servicesOf(services: readonly string[]): readonly string[] {
  const unknown = services.find(service => !SERVICES.includes(service));
  if (unknown === undefined) return services;
  const local = /local.?network/i.test(unknown)
    ? '; Local Network is granted by --networks, for Apple has no service for it'
    : '';
  throw new UsageError(
    `a profile cannot grant ${unknown || 'nothing'} here: choose among ${SERVICES.join(', ')}${local}`,
  );
}
