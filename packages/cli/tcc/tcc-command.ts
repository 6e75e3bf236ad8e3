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

const NOTES = `
Apple has no privacy service (PPPC) for Local Network, and an MDM server cannot answer that prompt (TN3179). macOS 15.5
and later has two lists of networks that every program may reach without a prompt, one for Ethernet and one for Wi-Fi,
in the preferences com.apple.network.local-network. The profile manages both lists. They take effect at the next boot.
Apple documents them only for root's own preferences, which "minifleet host converge" and the provider write. Managed
preferences are undocumented: test the profile on one Mac before you rely on it.

With --identifier the profile also lets that program, identified by its signature, access files for which macOS would
prompt. macOS accepts this part only from an MDM server.
`;

/** `minifleet tcc profile`, for Macs with an MDM server. The provider needs none. */
export const tccCommand = (context: CliContext): Command =>
  new Command('tcc').description('Generate macOS privacy settings (TCC)').addCommand(
    new Command('profile')
      .description('Write a configuration profile for image builders managed by an MDM server')
      .option(
        '--networks <network,network>',
        'networks that every program may reach (default: the private networks of RFC 1918)',
        commaSeparated,
      )
      .option('--identifier <bundle id or path>', 'program to grant file access; a path must not be a symbolic link')
      .addOption(new Option('--team <id>', 'Apple team id of the signer (ten characters)').conflicts('requirement'))
      .option('--requirement <text>', 'code requirement, as "codesign -d -r - <program>" prints it')
      .option(
        '--services <service,service>',
        `privacy services to grant (default: ${DEFAULT_SERVICES.join(',')})`,
        commaSeparated,
      )
      .option('-o, --output <file>', 'output file, for example builders.mobileconfig (default: standard output)')
      .addHelpText('after', NOTES)
      .action(async (request: ProfileRequest) => {
        const { writeProfile } = await import('./write-profile.ts');
        await writeProfile(request, context);
      }),
  );

const commaSeparated = (text: string): string[] => text.split(',').map(part => part.trim());
