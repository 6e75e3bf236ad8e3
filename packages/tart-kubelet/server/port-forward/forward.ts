import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '@minifleet/clock';
import { messageOf } from '@minifleet/kube';
import type { ServedPod } from '../served-pod.ts';
import { dialGuest } from './dial-guest.ts';

export interface ForwardOptions {
  readonly pod: ServedPod;
  readonly port: number;
  readonly clock: Clock;
}

/** Copies both ways, each half ending on its own, until the guest has ended its half. Gives the reason if it failed. */
export async function forward(client: Duplex, { pod, port, clock }: ForwardOptions): Promise<string | undefined> {
  try {
    const { io: guest, greet, failure } = await dialGuest(pod, port, clock);
    if (client.destroyed) guest.destroy();
    client.once('close', () => guest.destroy());
    // What fails here shows in the guest's half as well; unheard, it would end the process.
    guest.on('error', () => undefined);
    try {
      await greet?.(client);
      client.pipe(guest);
      guest.pipe(client, { end: false });
      await finished(guest, { writable: false });
    } finally {
      guest.destroy();
      client.end();
      client.resume();
    }
    return await failure();
  } catch (error) {
    client.end();
    client.resume();
    return client.destroyed
      ? undefined
      : `error forwarding port ${port} to pod ${pod.name}, uid ${pod.uid}: ${messageOf(error)}`;
  }
}
