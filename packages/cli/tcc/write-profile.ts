import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import {
  ALLOW_LIST_DOMAIN,
  ALLOW_LIST_KEYS,
  isNetwork,
  PRIVATE_NETWORKS,
  type PropertyValue,
  renderPropertyList,
} from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { isPath, type PrivacyGrant, readGrant } from './read-grant.ts';
import type { ProfileRequest } from './tcc-command.ts';

/** Prints only the profile, or writes it to a file and prints a summary with the next action. */
export async function writeProfile(request: ProfileRequest, { output }: CliContext): Promise<void> {
  const { networks = PRIVATE_NETWORKS, output: file } = request;
  const wrong = networks.find(network => !isNetwork(network));
  if (wrong !== undefined)
    throw new UsageError(`"${wrong}" is not a network; use for example 192.168.0.0/16 or fd00::/8`);
  const grant = readGrant(request);
  const text = renderProfile({ networks, grant });
  if (file === undefined) {
    output.write(text);
    return;
  }
  await writeFile(file, text).catch((error: Error) => {
    throw new UsageError(`${file}: cannot write the profile (${error.message})`);
  });
  output.write(`${summary(file, networks, grant)}\n`);
}

const summary = (file: string, networks: readonly string[], grant: PrivacyGrant | undefined): string =>
  [
    `Wrote ${file}: every program may reach ${networks.join(', ')} after the next boot`,
    ...(grant ? [`${grant.identifier} is granted ${grant.services.join(', ')}, identified by its signature`] : []),
    'Next: install it on the builders with your MDM server, restart one, and check that a bake reaches its guest',
  ].join('\n');

interface TccProfile {
  readonly networks: readonly string[];
  readonly grant: PrivacyGrant | undefined;
}

type ProfileDictionary = { readonly [key: string]: PropertyValue };

const NAME = 'dev.minifleet.builder';

/** Renders a configuration profile. The same input gives the same bytes; a change gives another UUID, so that macOS updates it. */
function renderProfile({ networks, grant }: TccProfile): string {
  // A profile replaces an earlier one with the same name, so each program has its own name.
  const name = grant ? `${NAME}.${grant.identifier.replaceAll(/[^A-Za-z0-9.]+/g, '-').replace(/^-/, '')}` : NAME;
  const profile = payload('Configuration', name, {
    PayloadDisplayName: 'Minifleet builder',
    PayloadDescription: 'Lets the programs of an image builder reach its guests without a prompt.',
    PayloadScope: 'System',
    PayloadContent: [allowList(name, networks), ...(grant ? [privacy(name, grant)] : [])],
  });
  return renderPropertyList(profile);
}

const allowList = (name: string, networks: readonly string[]): ProfileDictionary =>
  payload('com.apple.ManagedClient.preferences', `${name}.local-network`, {
    PayloadDisplayName: 'Local Network allow-list',
    PayloadContent: {
      [ALLOW_LIST_DOMAIN]: {
        Forced: [
          { mcx_preference_settings: Object.fromEntries(Object.values(ALLOW_LIST_KEYS).map(key => [key, networks])) },
        ],
      },
    },
  });

function privacy(name: string, { identifier, requirement, services }: PrivacyGrant): ProfileDictionary {
  const program = {
    Identifier: identifier,
    IdentifierType: isPath(identifier) ? 'path' : 'bundleID',
    CodeRequirement: requirement,
    Allowed: true,
  };
  return payload('com.apple.TCC.configuration-profile-policy', `${name}.privacy`, {
    PayloadDisplayName: `Files of ${identifier}`,
    Services: Object.fromEntries(services.map(service => [service, [program]])),
  });
}

/** Adds the keys that every payload has. */
function payload(type: string, name: string, content: ProfileDictionary): ProfileDictionary {
  const named = { PayloadType: type, PayloadVersion: 1, PayloadIdentifier: name, ...content };
  return { ...named, PayloadUUID: uuidOf(renderPropertyList(named)) };
}

/** Derives a version 8 UUID from a hash of the content. */
function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').toUpperCase();
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-A${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
