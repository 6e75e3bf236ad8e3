import { createHmac } from 'node:crypto';

/** The value of `X-Hub-Signature-256`. */
export const sign = (payload: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`;
