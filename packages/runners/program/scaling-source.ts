import { readFile } from 'node:fs/promises';
import { type Clock, seconds } from '@minifleet/clock';
import { type CredentialSources, countedCalls } from '@minifleet/kube';
import { httpSignals } from '../autoscaling/http-signals.ts';
import { ownSignals, rememberedSignals, type SignalSource } from '../autoscaling/signals.ts';

interface ScalingSourceOptions {
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly sources: CredentialSources;
  readonly onAsked: (outcome: string) => void;
}

/** Shorter than the interval between two reconciles of a pool, and long enough for all pools that share Macs to get the same values. */
const REMEMBERED = seconds(4);

/** Source of scaling signals: the server that the flag names, or the pools themselves. */
export function scalingSource({ url, clock, sources, onAsked }: ScalingSourceOptions): SignalSource {
  if (url === undefined) return ownSignals;
  const asked = countedCalls((_, outcome) => onAsked(outcome));
  const source = httpSignals({ url, clock, token: () => ownToken(sources) });
  return rememberedSignals(asked('signals', source), clock, REMEMBERED);
}

/** Token of the program's service account. The kubelet renews it in its file. */
async function ownToken({ token, issueToken }: CredentialSources): Promise<string | undefined> {
  if (issueToken) return (await issueToken()).token;
  if (!token) return undefined;
  return ('data' in token ? token.data : await readFile(token.file)).toString().trim();
}
