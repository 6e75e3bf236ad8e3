import { type Clock, seconds } from '@minifleet/clock';
import { ApiError, type Client, connectClient, KubeconfigError, messageOf, parseKubeconfig } from '@minifleet/kube';

/** Result of a probe with a kubeconfig. `why` may name entries of the kubeconfig, never a credential. */
export type KubeconfigProbe =
  | { readonly kind: 'answered'; readonly version: string | undefined }
  /** The API server rejects the request. `known`: the user is authenticated but lacks a permission. */
  | { readonly kind: 'rejected'; readonly known: boolean; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Cluster API would not accept this kubeconfig. */
  | { readonly kind: 'unusable'; readonly why: string };

export type ProbeKubeconfig = (text: string, name: string, signal: AbortSignal) => Promise<KubeconfigProbe>;

/** Same timeout as in Cluster API. */
const TIMEOUT = seconds(5);

/** Requests `/` like Cluster API, on a separate connection. */
export const createProbe =
  (clock: Clock): ProbeKubeconfig =>
  async (text, name, signal) => {
    let client: Client | undefined;
    try {
      // A user who can write the Secret must not make the provider read files or run programs; Cluster API also rejects those.
      const sources = parseKubeconfig(text, { path: name, selfContained: true });
      const once = { tries: 1 };
      client = connectClient(sources, { clock, requestTimeout: TIMEOUT, connectTimeout: TIMEOUT, retry: once });
      return await ask(client, signal);
    } catch (error) {
      return answerOf(error);
    } finally {
      await client?.close();
    }
  };

async function ask(client: Client, signal: AbortSignal): Promise<KubeconfigProbe> {
  await client.send({ method: 'GET', path: '/', signal });
  return { kind: 'answered', version: await versionOf(client, signal) };
}

/** By default every authenticated user can read the version; nothing depends on it. */
export async function versionOf(client: Client, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { gitVersion } = JSON.parse(await client.send({ method: 'GET', path: '/version', signal })) as {
      gitVersion?: string;
    };
    return gitVersion;
  } catch {
    return undefined;
  }
}

function answerOf(error: unknown): KubeconfigProbe {
  if (error instanceof KubeconfigError) return { kind: 'unusable', why: error.message };
  if (!(error instanceof ApiError)) return { kind: 'unreachable', why: messageOf(error) };
  const rejected = error.code === 401 || error.code === 403;
  return rejected
    ? { kind: 'rejected', known: error.code === 403, why: error.message }
    : { kind: 'unreachable', why: error.message };
}
