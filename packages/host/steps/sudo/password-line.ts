import { Secret } from '@minifleet/secret';
import { HOST_PASSWORD_UNUSABLE } from './errors.ts';

/** The password without the newline a file or a prompt may have left at its end. */
export function passwordText(password: Secret): string {
  const text = password
    .reveal()
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text === '' || /[\n\r\0]/.test(text)) throw HOST_PASSWORD_UNUSABLE({ password: password.toString() });
  return text;
}

/**
 * All that `sudo -S` is given on standard input: one line, and then the end. sudo takes each further line for another
 * try, so anything behind the password would turn one wrong password into three, and lock the account (I34).
 */
export const passwordLine = (password: Secret): Secret => new Secret(password.name, `${passwordText(password)}\n`);
