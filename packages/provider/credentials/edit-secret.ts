import type { ErrorFactory } from '@minifleet/errors';
import {
  ApiError,
  type Client,
  ConnectionError,
  type KubeSecret,
  type ObjectKey,
  retryOnConflict,
  secrets,
} from '@minifleet/kube';

/** Label of all Secrets that the provider creates. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'minifleet' } as const;

/** Content of a Secret that the provider writes; labels of other managers stay. */
export type SecretContent = Pick<KubeSecret, 'data'> & {
  readonly metadata: Pick<KubeSecret['metadata'], 'labels' | 'annotations' | 'ownerReferences'>;
};

/**
 * Updates or creates a Secret with optimistic locking: `edit` gets the current Secret, again after each conflict; undefined
 * changes nothing. Returns the resulting Secret.
 */
export function editSecret(
  client: Client,
  key: Required<ObjectKey>,
  edit: (secret: KubeSecret | undefined) => SecretContent | undefined,
): Promise<KubeSecret | undefined> {
  const attempt = async (): Promise<KubeSecret | undefined> => {
    const before = await client.find(secrets, key);
    const wanted = edit(before);
    return wanted ? write(client, key, { before, wanted }) : before;
  };
  return retryOnConflict(attempt, { orRecreated: true });
}

function write(
  client: Client,
  key: Required<ObjectKey>,
  { before, wanted }: { readonly before: KubeSecret | undefined; readonly wanted: SecretContent },
): Promise<KubeSecret> {
  if (!before) return client.create(secrets, { ...wanted, metadata: { ...wanted.metadata, ...key } });
  const labels = { ...before.metadata.labels, ...wanted.metadata.labels };
  return client.update(secrets, { ...before, ...wanted, metadata: { ...before.metadata, ...wanted.metadata, labels } });
}

export const textIn = ({ data }: Pick<KubeSecret, 'data'>, key: string): string | undefined =>
  data?.[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString('utf8');

export const encoded = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, Buffer.from(value).toString('base64')] as const],
    ),
  );

/**
 * Runs a call to the API server and maps API and connection errors to the given error, with their message as `{why}`. The API server
 * never repeats the content of a Secret.
 */
export async function withApiErrorAs<T>(
  error: ErrorFactory,
  values: Readonly<Record<string, string>>,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ApiError || cause instanceof ConnectionError)) throw cause;
    throw error({ ...values, why: cause.message }, { cause });
  }
}
