import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { current, drift, type StepDefinition } from '../../engine/step.ts';
import type { HostCommandResult, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';

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
 * The Xcode for builds: selected, license accepted, compiler found. Minifleet does not install it, because Apple
 * requires an account for the download, and never removes it, because it does no harm.
 */
export const xcode = {
  id: 'xcode',
  title: 'Xcode selection and license',
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

/** Queries the desired Xcode, not the selected one, in one round trip. */
async function readXcode(host: HostView, { developerDirectory: directory }: XcodeSettings): Promise<XcodeState> {
  const ask = (...argv: readonly [string, ...string[]]): Promise<HostCommandResult> =>
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

/** State of an Xcode. */
interface XcodeState {
  /** True for a full Xcode: Command Line Tools have no xcodebuild. */
  readonly there: boolean;
  /** Selected developer directory; undefined if there is none. */
  readonly chosen: string | undefined;
  readonly licensed: boolean;
  /** Path of its compiler. */
  readonly swift: string | undefined;
}

function xcodeDifferences(state: XcodeState, want: { readonly developerDirectory: string }): string[] {
  const directory = want.developerDirectory;
  if (!state.there) return [`no Xcode at ${directory}`];
  return [
    ...(state.chosen === directory
      ? []
      : [`the developer directory is ${state.chosen ?? 'not set'}, expected ${directory}`]),
    ...(state.licensed ? [] : ['the Xcode license is not accepted']),
    ...(state.swift?.startsWith(directory) ? [] : [`swift was not found in ${directory}`]),
  ];
}
