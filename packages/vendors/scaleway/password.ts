/** Placeholder of Scaleway for a secret that it no longer returns. */
const SEALED = '<sealed>';

/**
 * Returns the account password of a server. `sudo_password` is readable for some hours after an installation, then it is the
 * literal `<sealed>`, which must never be used as a password, because it would be written into kcpassword. `vnc_url` keeps the password.
 */
export function passwordOf(server: { readonly sudoPassword: string; readonly vncUrl: string }): string | undefined {
  return readable(server.sudoPassword) ?? readable(passwordInUrl(server.vncUrl));
}

const readable = (password: string | undefined): string | undefined =>
  password === undefined || password === '' || password === SEALED ? undefined : password;

/** `vnc://user:password@host:port`. The last @ ends the password, because it can contain an unescaped @. */
function passwordInUrl(url: string): string | undefined {
  const escaped = /^\w+:\/\/[^:@/]*:(.*)@[^@]*$/.exec(url)?.[1];
  return escaped === undefined ? undefined : unescaped(escaped);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % escapes nothing.
    return text;
  }
}
