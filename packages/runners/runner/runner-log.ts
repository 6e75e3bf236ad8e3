import { type Clock, pause, seconds } from '@minifleet/clock';
import { type Client, type KubeSecret, keyOf, objectPath, type Pod, pods } from '@minifleet/kube';
import { createRedactor, Secret as SecretValue } from '@minifleet/secret';
import { CONFIGURATION_KEY } from './registration.ts';

const LINES = 200;
const BYTES = 64 * 1_024;
const KEPT = 2_000;
/** A lost host makes the API server wait; recording the end matters more than its log. */
const LOG_TIMEOUT = seconds(5);

interface LogDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Reads the end of a runner's log from the API server; undefined if it is not available in time. */
export async function lastLines({ client, clock, signal }: LogDeps, pod: Pod): Promise<string | undefined> {
  const over = new AbortController();
  const late = pause(clock, LOG_TIMEOUT, over.signal).then(() => undefined);
  const asked = client
    .send({
      method: 'GET',
      path: objectPath(pods, keyOf(pod), 'log'),
      query: { tailLines: LINES, limitBytes: BYTES },
      signal: AbortSignal.any([signal, over.signal]),
    })
    .catch(() => undefined);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort();
  }
}

/** End of a log, short enough for a status. The JIT configuration of the runner is redacted in every written form. */
export function shownLines(log: string | undefined, secret: KubeSecret | undefined): string | undefined {
  const configuration = Buffer.from(secret?.data?.[CONFIGURATION_KEY] ?? '', 'base64');
  const redactor = createRedactor([new SecretValue('runner configuration', configuration)]);
  const shown = log && redactor.redact(log).trimEnd().slice(-KEPT);
  return shown ? shown : undefined;
}
