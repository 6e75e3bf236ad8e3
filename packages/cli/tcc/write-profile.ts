import { writeFile } from 'node:fs/promises';
import { isNetwork, PRIVATE_NETWORKS } from '@minifleet/host';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { type PrivacyGrant, readGrant } from './read-grant.ts';
import { renderProfile } from './render-profile.ts';
import type { ProfileRequest } from './tcc-command.ts';

/** Prints the profile and nothing else, or writes it to a file and says what is in it and what comes next. */
export async function writeProfile(request: ProfileRequest, { output }: CliContext): Promise<void> {
  const { networks = PRIVATE_NETWORKS, output: file } = request;
  const wrong = networks.find(network => !isNetwork(network));
  if (wrong !== undefined)
    throw new UsageError(`${wrong || 'nothing'} is no network: write 192.168.0.0/16 or fd00::/8`);
  const grant = readGrant(request);
  const text = renderProfile({ networks, grant });
  if (file === undefined) {
    output.write(text);
    return;
  }
  await writeFile(file, text).catch((error: Error) => {
    throw new UsageError(`the profile could not be written: ${error.message}`);
  });
  output.write(`${summary(file, networks, grant)}\n`);
}

const summary = (file: string, networks: readonly string[], grant: PrivacyGrant | undefined): string =>
  [
    `wrote ${file}: any program may reach ${networks.join(', ')} unasked, from the next boot of the Mac`,
    ...(grant ? [`${grant.identifier} is granted ${grant.services.join(', ')}, by its signature`] : []),
    'give it to your device manager, for the builders; restart one, and see a bake reach its guest before you rely on it',
  ].join('\n');
