import type { ExitCode } from './exit-code.ts';

/** How a command tells what the shell is to be told, when that is more than "done". */
export type Finish = (code: ExitCode) => void;
