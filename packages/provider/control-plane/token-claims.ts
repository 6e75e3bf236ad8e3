/** Claims of a ServiceAccount token. Not verified here; the API server does that. */
interface TokenClaims {
  /** `system:serviceaccount:<namespace>:<name>`. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Undefined for a malformed token and for a token without expiration. */
export function claimsIn(token: string): TokenClaims | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { sub, iat, exp } = JSON.parse(payload) as { sub?: unknown; iat?: unknown; exp?: unknown };
    if (typeof sub !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return undefined;
    return { subject: sub, issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  } catch {
    return undefined;
  }
}
