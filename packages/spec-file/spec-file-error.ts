/** The file is invalid and nothing was done. The message has one line per problem, in the format of compilers. */
export class SpecFileError extends Error {
  override readonly name: string = 'SpecFileError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
