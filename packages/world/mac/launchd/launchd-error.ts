/** An error of launchd: launchctl prints number and text, and exits with the number. */
export class LaunchdError extends Error {
  override readonly name = 'LaunchdError';
  readonly code: number;

  constructor(code: number) {
    super(TEXTS[code] ?? 'Unknown error');
    this.code = code;
  }
}

/** `launchctl error <code>` on a Mac (derived). */
const TEXTS: Readonly<Record<number, string>> = {
  1: 'Operation not permitted',
  3: 'No such process',
  5: 'Input/output error',
  37: 'Operation already in progress',
  109: 'Invalid property list',
  113: 'Could not find specified service',
  119: 'Service is disabled',
  122: 'Path had bad ownership/permissions',
  125: 'Domain does not support specified action',
  134: 'Service cannot load in requested session',
};
