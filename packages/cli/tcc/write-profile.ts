import { writeFile } from 'node:fs/promises';
import { isNetwork, PRIVATE_NETWORKS } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { type PrivacyGrant, readGrant } from './read-grant.ts';
import { renderProfile } from './render-profile.ts';
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
