import { isDeepStrictEqual } from 'node:util';
import { type MacHost, macHost, names } from '@minifleet/api';
import {
  apiVersionOf,
  type Client,
  deleteExact,
  type KubeSecret,
  keyString,
  type ObjectKey,
  secrets,
} from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { HostCredentialStore } from './credentials.ts';
import { editSecret, encoded, type SecretContent, textIn } from './edit-secret.ts';
import { CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';
import { accessFrom, type HostCredentials, mergeFromVendor, withRejected } from './host-credentials.ts';
import { MANAGED_BY } from './managed-by.ts';
import { withApiErrorAs } from './with-api-error-as.ts';

const { resource } = macHost;

/** Keys of the previous system, so that its Secrets stay readable; `rejected-password` is new. */
const KEYS = {
  user: 'ssh-username',
  password: 'sudo-password',
  hostKey: 'host-fingerprint',
  rejected: 'rejected-password',
} as const satisfies Record<keyof HostCredentials, string>;

const OWN_KEYS: ReadonlySet<string> = new Set(Object.values(KEYS));

/** Credentials of a host in the Secret `<host>-credentials`, in the namespace of its machine. */
export function createHostCredentials(client: Client): Omit<HostCredentialStore, 'fleetKey'> {
  const attempt = <T>(host: MacHost, ask: () => Promise<T>): Promise<T> =>
    withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: keyString(credentialsKey(host)) }, ask);

  /** Writes only changes; recreates a Secret that was deleted by hand. */
  const edit = (host: MacHost, change: (known: HostCredentials) => HostCredentials): Promise<HostCredentials> =>
    attempt(host, async () => {
      const secret = await editSecret(client, credentialsKey(host), before => {
        const wanted = secretFor(host, change(credentialsIn(before)), before);
        return before && isSame(before, wanted) ? undefined : wanted;
      });
      return credentialsIn(secret);
    });

  return {
    async access(host, server: Server) {
      return accessFrom(await edit(host, known => mergeFromVendor(known, server)), host.metadata.name);
    },
    async pin(host, hostKey) {
      await edit(host, known => (known.hostKey ? known : { ...known, hostKey }));
    },
    async passwordRejected(host, tried) {
      await edit(host, known => withRejected(known, tried.reveal().toString('utf8')));
    },
    forget: host =>
      attempt(host, async () => {
        // Password and host key of an owned Mac do not change with its machine.
        if (host.spec.source.owned) return;
        const secret = await client.find(secrets, credentialsKey(host));
        if (secret) await deleteExact(client, secrets, secret);
      }),
  };
}

/** The Secret with the credentials of a held host. */
export const credentialsKey = ({ metadata, spec }: MacHost): Required<ObjectKey> => ({
  namespace: spec.consumerRef?.namespace ?? '',
  name: `${metadata.name}-credentials`,
});

function credentialsIn(secret: KubeSecret | undefined): HostCredentials {
  if (!secret) return {};
  const { user, password, hostKey, rejected } = KEYS;
  const text = (key: string): string | undefined => textIn(secret, key);
  return { user: text(user), password: text(password), hostKey: text(hostKey), rejected: text(rejected) };
}

/** Owned by the MacHost, so that clusterctl moves it; keys of other managers stay. */
function secretFor({ metadata, spec }: MacHost, known: HostCredentials, before: KubeSecret | undefined): SecretContent {
  const others = Object.entries(before?.data ?? {}).filter(([key]) => !OWN_KEYS.has(key));
  const { name, uid = '' } = metadata;
  const pinned = spec.source.owned?.hostKey;
  return {
    metadata: {
      labels: { ...MANAGED_BY, [names.labels.host]: name },
      ownerReferences: [{ apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true }],
    },
    data: {
      ...Object.fromEntries(others),
      ...encoded({
        [KEYS.user]: known.user,
        [KEYS.password]: known.password,
        [KEYS.hostKey]: pinned ?? known.hostKey,
        [KEYS.rejected]: known.rejected,
      }),
    },
  };
}

function isSame({ data, metadata }: KubeSecret, wanted: SecretContent): boolean {
  const labels = Object.entries(wanted.metadata.labels ?? {});
  return (
    isDeepStrictEqual(data ?? {}, wanted.data) &&
    isDeepStrictEqual(metadata.ownerReferences, wanted.metadata.ownerReferences) &&
    labels.every(([label, value]) => metadata.labels?.[label] === value)
  );
}
