/** Why a call ends with a code other than 0. Tart's own errors are printed bare; every other Swift error after `Error: `. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A Swift error Tart does not know: URLError, CocoaError, an error of the Virtualization framework thrown before the start. */
export const foreignFailure = (message: string): Failure => new Failure(`Error: ${message}`);

export const doesNotExist = (name: string): Failure => new Failure(`the specified VM "${name}" does not exist`, 2);
export const notRunning = (name: string): Failure => new Failure(`VM "${name}" is not running`, 2);
export const isRunning = (name: string): Failure => new Failure(`VM "${name}" is running`, 1);
export const missingFiles = (): Failure =>
  new Failure('VM is missing some of its files (config.json, disk.img or nvram.bin)');

/** What ArgumentParser says of a command line it cannot read or that fails validation: exit code 64 (facts 10.2). */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

/** Foundation's words for a file that is gone. S4 quotes them with straight quotes; Foundation writes curly ones. */
export const fileDoesNotExist = (file: string): Failure => foreignFailure(`The file “${file}” doesn’t exist.`);
