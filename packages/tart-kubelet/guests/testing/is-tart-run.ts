import { type HostProcess, isTartCallOn } from '../process-table.ts';

/** `tart run` of this VM alone: whoever clears up after it calls `tart delete`, which is not to be killed with it. */
export const isTartRunOf = (name: string) => {
  const isOnIt = isTartCallOn(name);
  return (process: HostProcess): boolean => isOnIt(process) && process.command.split(' ').includes('run');
};
