/** Ways out of the middle of a script. They are thrown, and caught by whom they concern. */
export class ExitShell extends Error {
  override readonly name = 'ExitShell';
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

export class ReturnFromFunction extends Error {
  override readonly name = 'ReturnFromFunction';
  readonly code: number;

  constructor(code: number) {
    super(`return ${code}`);
    this.code = code;
  }
}

export class LeaveLoop extends Error {
  override readonly name = 'LeaveLoop';
  readonly goesOn: boolean;
  /** How many loops out it goes still. */
  readonly levels: number;

  constructor(goesOn: boolean, levels: number) {
    super(goesOn ? 'continue' : 'break');
    this.goesOn = goesOn;
    this.levels = levels;
  }
}

/** The command at hand fails with the shell's own words; the script goes on unless it must not. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly code: number;
  /** Ends the whole shell, as an unset variable under `set -u` does. */
  readonly fatal: boolean;

  constructor(message: string, code = 1, fatal = false) {
    super(message);
    this.code = code;
    this.fatal = fatal;
  }
}
