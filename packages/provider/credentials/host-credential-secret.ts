import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hostCredentialKeys, hostCredentialsSecret, type MacHost, macHost, names } from '@minifleet/api';
import {
  apiVersionOf,
  type Client,
  deleteExact,
  type KubeSecret,
  keyString,
  type ObjectKey,
  secrets,
} from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import { isTakenOver } from '../cluster-api/host-ids.ts';
import type { HostAccess, HostCredentialStore } from './credentials.ts';
import { editSecret, encoded, MANAGED_BY, type SecretContent, textIn, withApiErrorAs } from './edit-secret.ts';
import { CREDENTIALS_SECRET_UNAVAILABLE } from './errors.ts';

const { resource } = macHost;

const KEYS = hostCredentialKeys satisfies Record<keyof HostCredentials, string>;

const OWN_KEYS: ReadonlySet<string> = new Set(Object.values(KEYS));

/** Credentials of a host in the Secret `<host>-credentials`, in the namespace of its machine. */
export function createHostCredentials(client: Client): Omit<HostCredentialStore, 'fleetKey'> {
  const attempt = <T>(host: MacHost, ask: () => Promise<T>): Promise<T> =>
    withApiErrorAs(CREDENTIALS_SECRET_UNAVAILABLE, { secret: keyString(credentialsKey(host)) }, ask);

  /** Writes only changes; recreates a Secret that was deleted by hand. */
  const edit = (host: MacHost, change: (known: HostCredentials) => HostCredentials): Promise<HostCredentials> =>
    attempt(host, async () => {
      const older = await findOlder(host);
      const secret = await editSecret(client, credentialsKey(host), before => {
        const wanted = secretFor(host, change(credentialsIn(before ?? older)), before);
        return before && isSame(before, wanted) ? undefined : wanted;
      });
      return credentialsIn(secret);
    });

  /** Secret of the previous system, until there is one of the host. Its host key keeps the first connection from trusting any key. */
  const findOlder = async (host: MacHost): Promise<KubeSecret | undefined> => {
    if (!isTakenOver(host) || (await client.find(secrets, credentialsKey(host)))) return undefined;
    return client.find(secrets, olderKey(host));
  };

  const remove = async (key: Required<ObjectKey>): Promise<void> => {
    const secret = await client.find(secrets, key);
    if (secret) await deleteExact(client, secrets, secret);
  };

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
        // First, because without the other Secret it would be read again.
        if (isTakenOver(host)) await remove(olderKey(host));
        await remove(credentialsKey(host));
      }),
  };
}

/** The Secret with the credentials of a held host. */
export const credentialsKey = ({ metadata, spec }: MacHost): Required<ObjectKey> => ({
  namespace: spec.consumerRef?.namespace ?? '',
  name: hostCredentialsSecret(metadata.name),
});

/** The Secret with the credentials of a machine in the previous system. */
const olderKey = ({ spec }: MacHost): Required<ObjectKey> => ({
  namespace: spec.consumerRef?.namespace ?? '',
  name: `${spec.consumerRef?.name}-bootstrap`,
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

/** Credentials of a host, stored in the Secret of its machine. */
export interface HostCredentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly hostKey?: string | undefined;
  /** SHA-256 of the password that the host rejected; any other password counts as untried. */
  readonly rejected?: string | undefined;
}

/** Placeholder of the vendor for a password that it no longer returns. */
const SEALED = '<sealed>';

/**
 * Adds the values of the vendor. Existing values stay, because an operator may have written them; only a rejected password is
 * replaced by another one of the vendor. So no password is tried twice, and at most two are tried (I34).
 */
export function mergeFromVendor(known: HostCredentials, server: Pick<Server, 'user' | 'password'>): HostCredentials {
  const shown = usable(server.password?.reveal().toString('utf8'));
  const own = usable(known.password);
  const password = own === undefined || isRejected(known) ? (shown ?? own) : own;
  return { ...known, user: known.user || server.user, password };
}

export function accessFrom(known: HostCredentials, host: string): HostAccess {
  const { user = '', password, hostKey } = known;
  return {
    user,
    passwordRejected: isRejected(known),
    ...(password === undefined ? {} : { password: new Secret(`the password of ${host}`, password) }),
    ...(hostKey ? { hostKey } : {}),
  };
}

export const withRejected = (known: HostCredentials, tried: string): HostCredentials => ({
  ...known,
  rejected: digest(tried),
});

const isRejected = ({ password, rejected }: HostCredentials): boolean => {
  const own = usable(password);
  return own !== undefined && digest(own) === rejected;
};

/** Removes the line break that an editor adds; no password ends with one. */
function usable(password: string | undefined): string | undefined {
  const text = password?.replace(/\r?\n$/, '');
  return text === '' || text === SEALED ? undefined : text;
}

const digest = (password: string): string => createHash('sha256').update(password).digest('hex');
