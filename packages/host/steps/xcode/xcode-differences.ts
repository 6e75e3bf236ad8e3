/** What was found of an Xcode. */
export interface XcodeState {
  /** Whether it is a whole one: Command Line Tools have no xcodebuild. */
  readonly there: boolean;
  /** The developer directory in use; undefined when there is none. */
  readonly chosen: string | undefined;
  readonly licensed: boolean;
  /** Where its compiler is. */
  readonly swift: string | undefined;
}

/** What has to be done about it, in words. */
export function xcodeDifferences(state: XcodeState, want: { readonly developerDirectory: string }): string[] {
  const directory = want.developerDirectory;
  if (!state.there) return [`there is no Xcode at ${directory}`];
  return [
    ...(state.chosen === directory
      ? []
      : [`developer tools are taken from ${state.chosen ?? 'nowhere'}, wanted ${directory}`]),
    ...(state.licensed ? [] : ['the Xcode licence is not accepted']),
    ...(state.swift?.startsWith(directory) ? [] : [`no swift is found in ${directory}`]),
  ];
}
