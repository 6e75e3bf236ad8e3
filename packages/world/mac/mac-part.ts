import type { Mac } from './mac.ts';
import type { ExitReason } from './processes/process-table.ts';
import type { Program, Programs } from './program.ts';

/** A file someone is about to execute. */
export interface Executable {
  /** Absolute, links followed. */
  readonly path: string;
  readonly inode: number;
  readonly content: Buffer;
}

/**
 * One model of the Mac (launchd, pf, Tart) as it is plugged in. It is called once per Mac before the first boot; what
 * must happen at each boot it asks for with `mac.onBoot`.
 */
export type MacPart = (mac: Mac) => MacPartContribution;

export interface MacPartContribution {
  /** Programs that are on the Mac from the beginning; later ones come with `mac.install`. */
  readonly programs?: Programs;
  /** The program behind a binary that is neither an installed program nor a script: an agent that was uploaded. The first answer counts. */
  readonly load?: (file: Executable) => Program | undefined;
  /** Asked before every execution of a file: an answer is how the kernel ends it at once (a broken code signature). */
  readonly refuse?: (file: Executable) => ExitReason | undefined;
}
