/** The file cannot be used as it is written; nothing was done. Every problem is a line of its own, as compilers name them. */
export class SpecFileError extends Error {
  override readonly name: string = 'SpecFileError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
