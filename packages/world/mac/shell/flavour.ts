/** How one shell speaks and where it differs from the other. */
export interface Flavour {
  readonly name: 'zsh' | 'bash' | 'sh';
  /** zsh keeps an unquoted variable in one piece; bash and sh split it and expand globs in it. */
  readonly splitsVariables: boolean;
  /** zsh's MULTIOS: several redirections of one descriptor all count. */
  readonly multios: boolean;
  /** zsh fails on a glob without a match; bash passes it on as it stands. */
  readonly failsOnNoMatch: boolean;
  /** zsh runs the last command of a pipeline itself, so `… | read x` sets x. */
  readonly lastOfPipelineInside: boolean;
  /** Before a complaint of the shell: `zsh:1: `, `bash: line 1: `. */
  prefix(shell: string, line: number): string;
  /** zsh puts the words first and in small letters, bash the subject first. */
  complaint(subject: string, words: string): string;
  readonly parseErrorCode: number;
  parseError(near: string): string;
  unset(name: string): string;
}

/** A quote that is never closed has words of its own. */
const QUOTE = /^['"`]$/;

const small = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

const zsh: Flavour = {
  name: 'zsh',
  splitsVariables: false,
  multios: true,
  failsOnNoMatch: true,
  lastOfPipelineInside: true,
  prefix: (shell, line) => `${shell}:${line}: `,
  complaint: (subject, words) => `${small(words)}: ${subject}`,
  parseErrorCode: 1,
  parseError: near => (QUOTE.test(near) ? `unmatched ${near}` : `parse error near \`${near}'`),
  unset: name => `${name}: parameter not set`,
};

const bash: Flavour = {
  name: 'bash',
  splitsVariables: true,
  multios: false,
  failsOnNoMatch: false,
  lastOfPipelineInside: false,
  prefix: (shell, line) => `${shell}: line ${line}: `,
  complaint: (subject, words) => `${subject}: ${words}`,
  parseErrorCode: 2,
  parseError: near =>
    QUOTE.test(near)
      ? `unexpected EOF while looking for matching \`${near}'`
      : `syntax error near unexpected token \`${near}'`,
  unset: name => `${name}: unbound variable`,
};

/** /bin/sh of macOS is bash 3.2 by another name. */
export const flavours: Readonly<Record<Flavour['name'], Flavour>> = { zsh, bash, sh: { ...bash, name: 'sh' } };
