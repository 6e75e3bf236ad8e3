import { minutes } from '@minifleet/clock';

const A_DAY = minutes(24 * 60);

/** When a token is replaced: at four fifths of its life, and after a day at the latest. */
export const rotateAt = (issuedAt: number, expiresAt: number): number =>
  issuedAt + Math.min((expiresAt - issuedAt) * 0.8, A_DAY);
