/** Reason why sudo did not run a command; undefined if it ran, whatever its result. */
type SudoFailure = 'password needed' | 'password wrong' | 'not allowed' | 'broken';

interface SudoResult {
  readonly exitCode: number | undefined;
  readonly stderr: string;
}

const FAILURE_PATTERNS: readonly (readonly [RegExp, SudoFailure])[] = [
  [/no valid sudoers sources found|error initializing audit plugin|unable to parse .* sudoers/, 'broken'],
  [/ is not in the sudoers file| is not allowed to (run sudo|execute)/, 'not allowed'],
  [/^sudo: \d+ incorrect password attempts?/m, 'password wrong'],
  [/^sudo: a (password|terminal) is required/m, 'password needed'],
];

/** Derived from sudo's messages, because its exit code is 1 for all of them and for most failed commands. */
export function sudoFailure({ exitCode, stderr }: SudoResult): SudoFailure | undefined {
  if (exitCode === 0) return undefined;
  return FAILURE_PATTERNS.find(([words]) => words.test(stderr))?.[1];
}

/** The line that names the file that does not parse. */
export const sudoersError = ({ stderr }: SudoResult): string =>
  (/^.*syntax error.*$/m.exec(stderr)?.[0] ?? stderr.trim().split('\n')[0] ?? '').replace(/^sudo: /, '');
