import { readFile } from 'node:fs/promises';
import { type Clock, seconds } from '@minifleet/clock';
import { type CredentialSources, countedCalls } from '@minifleet/kube';
import { httpSignals } from '../autoscaling/http-signals.ts';
import { ownSignals, rememberedSignals, type SignalSource } from '../autoscaling/signals.ts';

export interface ScalingSourceOptions {
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly sources: CredentialSources;
  readonly onAsked: (outcome: string) => void;
}

/** Shorter than the time between two looks at a pool, and long enough for all pools that share Macs to see the same. */
const REMEMBERED = seconds(4);

/** Who tells the demand on pools: the server that the flag names, or the pools themselves. */
export function scalingSource({ url, clock, sources, onAsked }: ScalingSourceOptions): SignalSource {
  if (url === undefined) return ownSignals;
  const asked = countedCalls((_, outcome) => onAsked(outcome));
  const source = httpSignals({ url, clock, token: () => ownToken(sources) });
  return rememberedSignals(asked('signals', source), clock, REMEMBERED);
}

/** Of our service account; the kubelet renews it in its file. */
async function ownToken({ token, issueToken }: CredentialSources): Promise<string | undefined> {
  if (issueToken) return (await issueToken()).token;
  if (!token) return undefined;
  return ('data' in token ? token.data : await readFile(token.file)).toString().trim();
}
