import type { GuestProcess } from '../../guests/guest.ts';

/** A guest's process, as a script of the shell. */
export const processOf = (script: string): GuestProcess => ({
  argv: ['/bin/sh', '-c', script],
  environmentFile: undefined,
  workingDirectory: undefined,
});
