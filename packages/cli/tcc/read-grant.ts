import { UsageError } from '../exit.ts';
import { DEFAULT_SERVICES, SERVICES } from './services.ts';
import type { ProfileRequest } from './tcc-command.ts';

/** Program, identified by its signature, and the privacy services it is granted. */
export interface PrivacyGrant {
  readonly identifier: string;
  readonly requirement: string;
  readonly services: readonly string[];
}

const BUNDLE_ID = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const PATH = /^(\/[^/\p{Cc}]+)+$/u;
const TEAM = /^[A-Z0-9]{10}$/;

export const isPath = (identifier: string): boolean => identifier.startsWith('/');

/** Reads the grant of a program from the options; undefined without --identifier. */
export function readGrant(request: ProfileRequest): PrivacyGrant | undefined {
  const { identifier, team, requirement, services } = request;
  if (identifier === undefined) {
    if (team ?? requirement ?? services)
      throw new UsageError('no program given; pass its bundle id or path with --identifier');
    return undefined;
  }
  if (!BUNDLE_ID.test(identifier) && !PATH.test(identifier))
    throw new UsageError(
      `${identifier} is neither a bundle id nor a path; use for example com.example.program or /opt/homebrew/bin/program`,
    );
  return {
    identifier,
    requirement: team === undefined ? givenRequirement(identifier, requirement) : signedBy(team, identifier),
    services: servicesOf(services ?? DEFAULT_SERVICES),
  };
}

/** Requires the team's signature, so that the grant stays valid after an upgrade. */
function signedBy(team: string, identifier: string): string {
  if (!TEAM.test(team))
    throw new UsageError(`${team} is not a team id; it has ten letters and digits, for example ABCDE12345`);
  const name = isPath(identifier) ? '' : `identifier "${identifier}" and `;
  return `${name}anchor apple generic and certificate leaf[subject.OU] = "${team}"`;
}

function givenRequirement(identifier: string, requirement = ''): string {
  const given = requirement.trim().replace(/^designated => /, '');
  if (given === '')
    throw new UsageError(
      `${identifier}: no signature given; pass --team, or --requirement with the output of "codesign -d -r - <program>"`,
    );
  if (/\p{Cc}/u.test(given))
    throw new UsageError('the code requirement has more than one line; pass only the part after "designated =>"');
  return given;
}

function servicesOf(services: readonly string[]): readonly string[] {
  const unknown = services.find(service => !SERVICES.includes(service));
  if (unknown === undefined) return services;
  const local = /local.?network/i.test(unknown)
    ? '; use --networks for Local Network, because Apple has no privacy service for it'
    : '';
  throw new UsageError(`unknown service "${unknown}"; available services: ${SERVICES.join(', ')}${local}`);
}
