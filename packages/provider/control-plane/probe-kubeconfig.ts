import { type Clock, seconds } from '@minifleet/clock';
import { ApiError, type Client, connectClient, KubeconfigError, messageOf, parseKubeconfig } from '@minifleet/kube';

/** What came of using a kubeconfig as core does. `why` may name entries of the kubeconfig, never a credential. */
export type KubeconfigProbe =
  | { readonly kind: 'answered'; readonly version: string | undefined }
  /** The API server is there and does not let us in. `known`: it knows who we are, and we lack a right. */
  | { readonly kind: 'rejected'; readonly known: boolean; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string }
  /** It is no kubeconfig that core takes. */
  | { readonly kind: 'unusable'; readonly why: string };

export type ProbeKubeconfig = (text: string, name: string, signal: AbortSignal) => Promise<KubeconfigProbe>;

/** As core: after this it counts as not answered. */
const TIMEOUT = seconds(5);

/** Asks for `/` as core does, on a connection of its own. */
export const createProbe =
  (clock: Clock): ProbeKubeconfig =>
  async (text, name, signal) => {
    let client: Client | undefined;
    try {
      // Who may write the Secret must not make us read files or run programs; core refuses those, too.
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

/** Everyone who is let in may ask; where somebody forbade it, nothing depends on the answer. */
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
