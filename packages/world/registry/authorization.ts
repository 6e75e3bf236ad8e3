import type { Chance } from '../chance.ts';

/** Credentials that the registry accepts. */
export interface AuthorizationOptions {
  readonly scheme: 'basic' | 'bearer';
  readonly username: string;
  readonly password: string;
}

type AuthorizationResult = { readonly allowed: true } | { readonly allowed: false; readonly challenge: string };

/** Basic authentication, or bearer tokens from `/token`, which ghcr.io issues for a password. */
export class Authorization {
  readonly #options: AuthorizationOptions | undefined;
  readonly #chance: Chance;
  readonly #tokens = new Set<string>();

  constructor(options: AuthorizationOptions | undefined, chance: Chance) {
    this.#options = options;
    this.#chance = chance;
  }

  judge(header: string | undefined, origin: string): AuthorizationResult {
    const options = this.#options;
    if (!options) return { allowed: true };
    if (options.scheme === 'basic') {
      return header === this.#basic() ? { allowed: true } : { allowed: false, challenge: 'Basic realm="registry"' };
    }
    const token = header?.replace(/^Bearer /, '') ?? '';
    const challenge = `Bearer realm="${origin}/token",service="registry",scope="repository:*:pull,push"`;
    return this.#tokens.has(token) ? { allowed: true } : { allowed: false, challenge };
  }

  /** Returns undefined for wrong credentials. */
  mint(header: string | undefined): string | undefined {
    if (!this.#options || header !== this.#basic()) return undefined;
    const token = this.#chance.hex(40);
    this.#tokens.add(token);
    return token;
  }

  #basic(): string {
    const { username = '', password = '' } = this.#options ?? {};
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
}
