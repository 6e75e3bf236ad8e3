import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { current, drift, type StepDefinition } from '../../engine/step.ts';
import type { CommandResult, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

/** What can keep an Xcode from being used. */

export const HOST_XCODE_MISSING = defineError('HOST_XCODE_MISSING', {
  retry: 'operator',
  reason: 'HostXcodeMissing',
  text: '{address}: no Xcode at {directory} (Command Line Tools are not enough); download Xcode’s .xip with an Apple account, copy it to the host, unpack it with `xip --expand` in /Applications, then retry',
});

interface XcodeSettings {
  /** `/Applications/Xcode.app/Contents/Developer`. */
  readonly developerDirectory: string;
}

/**
 * The Xcode that builds use: chosen, its licence accepted, its compiler found. It is never installed by us, as Apple
 * gives it only to a person with an account, and never removed: a host without a builder is not harmed by it.
 */
export const xcode = {
  id: 'xcode',
  title: 'Xcode chosen and licensed',
  disturbs: 'nothing',
  timeout: minutes(5),
  async inspect(host, want) {
    return drift(xcodeDifferences(await readXcode(host, want), want));
  },
  async change(host, want) {
    const directory = want.developerDirectory;
    if (!(await readXcode(host, want)).there) throw HOST_XCODE_MISSING({ directory, address: host.address });
    await host.must(['/bin/sh', '-c', loadScript('select-xcode'), 'select-xcode', directory], {
      root: true,
      timeout: minutes(2),
    });
    return [];
  },
  removal: { inspect: async () => current(), change: async () => [] },
} satisfies StepDefinition<XcodeSettings>;

/** Asks the wanted Xcode, not the one that happens to be chosen: one round trip says all. */
async function readXcode(host: HostView, { developerDirectory: directory }: XcodeSettings): Promise<XcodeState> {
  const ask = (...argv: readonly [string, ...string[]]): Promise<CommandResult> =>
    host.query(['/usr/bin/env', `DEVELOPER_DIR=${directory}`, ...argv], { root: true });
  const [chosen, builder, licence, swift] = await Promise.all([
    host.query(['/usr/bin/xcode-select', '--print-path']),
    host.fileInfo(`${directory}/usr/bin/xcodebuild`),
    ask('/usr/bin/xcodebuild', '-license', 'check'),
    ask('/usr/bin/xcrun', '--find', 'swift'),
  ]);
  return {
    there: builder !== undefined,
    chosen: chosen.exitCode === 0 ? chosen.stdout.trim() : undefined,
    licensed: licence.exitCode === 0,
    swift: swift.exitCode === 0 ? swift.stdout.trim() : undefined,
  };
}

/** What was found of an Xcode. */
interface XcodeState {
  /** Whether it is a whole one: Command Line Tools have no xcodebuild. */
  readonly there: boolean;
  /** The developer directory in use; undefined when there is none. */
  readonly chosen: string | undefined;
  readonly licensed: boolean;
  /** Where its compiler is. */
  readonly swift: string | undefined;
}

/** What has to be done about it, in words. */
function xcodeDifferences(state: XcodeState, want: { readonly developerDirectory: string }): string[] {
  const directory = want.developerDirectory;
  if (!state.there) return [`no Xcode at ${directory}`];
  return [
    ...(state.chosen === directory
      ? []
      : [`the developer directory is ${state.chosen ?? 'nowhere'}, expected ${directory}`]),
    ...(state.licensed ? [] : ['the Xcode license is not accepted']),
    ...(state.swift?.startsWith(directory) ? [] : [`swift was not found in ${directory}`]),
  ];
}
