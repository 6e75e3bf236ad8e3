import { type ExternalControlPlane, externalControlPlane, names } from '@minifleet/api';
import {
  type Client,
  deleteExact,
  type KubeSecret,
  keyString,
  objectPath,
  secrets,
  serviceAccounts,
} from '@minifleet/kube';
import { encoded } from '../credentials/edit-secret.ts';
import { MANAGED_BY } from '../credentials/managed-by.ts';
import { withApiErrorAs } from '../credentials/with-api-error-as.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import { KUBECONFIG_NOT_MINTED } from './errors.ts';
import { SECRET_KEY, SECRET_TYPE } from './judge-minted.ts';
import { kubeconfigText } from './kubeconfig-text.ts';
import type { OwnServer } from './own-server.ts';
import { keepAnchor } from './token-anchor.ts';

interface Minting {
  readonly client: Client;
  readonly owner: ExternalControlPlane;
  readonly cluster: string;
  readonly server: OwnServer;
  readonly settings: ProviderSettings['clusterKubeconfig'];
  /** Current Secret. */
  readonly before: KubeSecret | undefined;
}

/** Writes `<cluster>-kubeconfig` with a new token and returns its text. After a crash, the next process repeats it. */
export function mintKubeconfig(minting: Minting): Promise<string> {
  const account = keyString(minting.settings.serviceAccount);
  return withApiErrorAs(KUBECONFIG_NOT_MINTED, { account }, async () => {
    const { client, cluster, server, before } = minting;
    const text = kubeconfigText(cluster, server, await requestToken(minting));
    // The type of a Secret is immutable.
    if (before && before.type !== SECRET_TYPE) await deleteExact(client, secrets, before);
    await write(minting, text);
    return text;
  });
}

async function requestToken({ client, owner, settings }: Minting): Promise<string> {
  const { serviceAccount, life } = settings;
  const { metadata } = await keepAnchor(client, serviceAccount.namespace, owner);
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: metadata.name, uid: metadata.uid };
  const answer = await client.send({
    method: 'POST',
    path: objectPath(serviceAccounts, serviceAccount, 'token'),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: Math.ceil(life / 1_000), boundObjectRef },
    },
  });
  return (JSON.parse(answer) as { status: { token: string } }).status.token;
}

/** Forced server-side apply: reverts manual changes and keeps fields of other managers. */
async function write({ client, owner, cluster }: Minting, text: string): Promise<void> {
  const { name, namespace = '', uid = '' } = owner.metadata;
  const { kind } = externalControlPlane.resource;
  const secret = {
    metadata: {
      namespace,
      name: `${cluster}-kubeconfig`,
      labels: { ...MANAGED_BY, [names.clusterApi.clusterNameLabel]: cluster },
      ownerReferences: [{ apiVersion: externalControlPlane.apiVersion, kind, name, uid }],
    },
    type: SECRET_TYPE,
    data: encoded({ [SECRET_KEY]: text }),
  };
  await client.apply(secrets, secret, { fieldManager: 'minifleet-provider', force: true });
}
