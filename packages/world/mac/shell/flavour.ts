/** Messages of one shell and its differences from the others. */
export interface Flavour {
  readonly name: 'zsh' | 'bash' | 'sh';
  /** zsh does not split an unquoted variable; bash and sh split it and expand globs in it. */
  readonly splitsVariables: boolean;
  /** zsh's MULTIOS: several redirections of one descriptor all apply. */
  readonly multios: boolean;
  /** zsh fails on a glob without a match; bash passes it on unchanged. */
  readonly failsOnNoMatch: boolean;
  /** zsh runs the last command of a pipeline itself, so `… | read x` sets x. */
  readonly lastOfPipelineInside: boolean;
  /** Prefix of the shell's error messages: `zsh:1: `, `bash: line 1: `. */
  prefix(shell: string, line: number): string;
  /** zsh prints the message first and in lower case, bash the subject first. */
  complaint(subject: string, words: string): string;
  readonly parseErrorCode: number;
  parseError(near: string): string;
  unset(name: string): string;
}

/** An unclosed quote has its own message. */
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

/** /bin/sh of macOS is bash 3.2 under another name. */
export const flavours: Readonly<Record<Flavour['name'], Flavour>> = { zsh, bash, sh: { ...bash, name: 'sh' } };
