const CENSOR = '[not shown]';

/** A private key may be cut: without its end, everything after its start is part of it. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/**
 * Tokens that are recognisable by themselves: of GitHub, of a bootstrap, of a ServiceAccount. GitHub's installation tokens
 * contain a JWT since 2026 and have no fixed length.
 */
const TOKENS = [
  /\b(?:gh[a-z]_|github_pat_)(?=[\w.-]{16})[\w-]+(?:\.[\w-]+)*/g,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]*){1,2}/g,
];

/** Keys and runner configurations are long Base64, with 64 characters in a line. Digests in hexadecimal and most paths stay readable. */
const LONG_BASE64 =
  /(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{60,}={0,2}/g;

/** The value after `token:`, `client-key-data =` or `Authorization: Bearer`. */
const NAMED_VALUE =
  /((?:token|password|passwd|secret|api-?key|key-data|jitconfig|authorization)["']?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?)([^\s"',;]{6,})/gi;

/**
 * Removes what has the form of a credential. For texts of another machine, which may contain secrets that no redactor of this process
 * has learnt; it also removes some texts that are no secrets.
 */
export const redactCredentials = (text: string): string =>
  [PRIVATE_KEY, ...TOKENS, LONG_BASE64]
    .reduce((clean, form) => clean.replace(form, CENSOR), text)
    .replace(NAMED_VALUE, `$1${CENSOR}`);
