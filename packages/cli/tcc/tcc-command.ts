import { Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { DEFAULT_SERVICES } from './services.ts';

export interface ProfileRequest {
  readonly networks?: readonly string[];
  readonly identifier?: string;
  readonly team?: string;
  readonly requirement?: string;
  readonly services?: readonly string[];
  readonly output?: string;
}

const WHAT_IT_IS = `
Apple has no privacy service (PPPC) for Local Network, and a device manager cannot answer that prompt (TN3179). What
macOS 15.5 and later has are two lists of networks that any program may reach unasked, in the preferences
com.apple.network.local-network. The profile manages these two, for Ethernet and Wi-Fi; they count from the next boot.
Apple documents them for root's own preferences, where "minifleet host converge" and the provider write them, and says
nothing of managed ones: try the profile on one Mac before you rely on it.

With --identifier the profile also lets that program, by its signature, at files macOS would ask about. macOS takes
that part from a device manager only.
`;

/** `minifleet tcc profile`: for those who have a device manager; the provider needs none. */
export const tccCommand = (context: CliContext): Command =>
  new Command('tcc').description('what macOS would ask a person at the screen').addCommand(
    new Command('profile')
      .description('write a configuration profile for builders that are in a device manager (MDM)')
      .option(
        '--networks <network,network>',
        'what any program may reach unasked; the private networks of RFC 1918 unless said',
        commaSeparated,
      )
      .option(
        '--identifier <bundle id or path>',
        'a program to let at files as well; a path is of the file, not of a link',
      )
      .addOption(new Option('--team <id>', 'who has signed it: Apple’s ten characters').conflicts('requirement'))
      .option('--requirement <text>', 'its code requirement, as "codesign -d -r - <program>" prints it')
      .option(
        '--services <service,service>',
        `what it may reach; ${DEFAULT_SERVICES.join(',')} unless said`,
        commaSeparated,
      )
      .option('-o, --output <file>', 'where to write it, for example builders.mobileconfig; printed unless said')
      .addHelpText('after', WHAT_IT_IS)
      .action(async (request: ProfileRequest) => {
        const { writeProfile } = await import('./write-profile.ts');
        await writeProfile(request, context);
      }),
  );

const commaSeparated = (text: string): string[] => text.split(',').map(part => part.trim());
