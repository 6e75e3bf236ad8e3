/** What the user wrote cannot be used, on the command line or in a spec file; nothing was done. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
