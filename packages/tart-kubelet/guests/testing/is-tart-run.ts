import { type HostProcess, isTartCallOn } from '../process-table.ts';

/** Matches only `tart run` of this VM: the `tart delete` of a clean-up must not be killed with it. */
export const isTartRunOf = (name: string) => {
  const isOnIt = isTartCallOn(name);
  return (process: HostProcess): boolean => isOnIt(process) && process.command.split(' ').includes('run');
};
