import type { X509Certificate } from 'node:crypto';

/**
 * When to ask for the next certificate: after 70 to 90 % of this one's life, by chance, so that a fleet does not ask at once.
 * One that was issued just now is kept for a tenth of its life at least: on a host whose clock is ahead each would be old
 * when it comes, and we would ask without end.
 */
export function renewalTime(certificate: X509Certificate, random: number, issuedAt = 0): number {
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const life = to - from;
  return Math.max(from + life * (0.7 + 0.2 * random), issuedAt + life * 0.1);
}

export const expired = (certificate: X509Certificate, now: number): boolean => now >= certificate.validToDate.getTime();
