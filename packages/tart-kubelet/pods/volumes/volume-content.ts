import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import type { PodNodeView } from '../admission/admit.ts';
import { type ConfigReference, type ConfigSource, namespaceOf } from '../environment/config-source.ts';
import { fieldValue, resourceFieldValue } from '../environment/downward-api.ts';

import { CONFIG_KEY_MISSING, CONFIG_PATH_UNSAFE, FIELD_UNKNOWN } from '../errors.ts';
import type { VolumeFile } from './atomic-volume.ts';
import type { TokenCache, TokenSource } from './service-account-tokens.ts';

export interface VolumeContentInput {
  readonly pod: Pod;
  readonly node: PodNodeView;
  readonly config: ConfigSource;
  readonly tokens: TokenSource;
  readonly now: number;
}

interface VolumeReadInput extends VolumeContentInput {
  readonly tokenCache: TokenCache;
}

interface VolumeContent {
  readonly files: readonly VolumeFile[];
  /** Time at which the content must be refreshed; undefined without tokens. */
  readonly staleAt: number | undefined;
}

type SpecVolume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];
type Projection = NonNullable<NonNullable<SpecVolume['projected']>['sources']>[number];
type Items = NonNullable<NonNullable<SpecVolume['configMap']>['items']>;

const MODE = 0o644;
const AN_HOUR = 3_600;

/** Reads the current files of a configMap, secret, downwardAPI or projected volume. */
export async function readVolume(of: VolumeReadInput, volume: SpecVolume): Promise<VolumeContent> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const { secretName: name = '', ...ofSecret } = secret ?? {};
  const sources: Projection[] =
    projected?.sources ??
    [configMap && { configMap }, secret && { secret: { ...ofSecret, name } }, downwardAPI && { downwardAPI }].filter(
      source => source !== undefined,
    );
  const mode = (projected ?? configMap ?? secret ?? downwardAPI)?.defaultMode ?? MODE;
  const parts: VolumeContent[] = [];
  for (const source of sources) parts.push(await readSource(of, source, mode));
  const files = parts.flatMap(part => part.files);
  for (const file of files) rejectUnsafePath(file.path);
  const stale = parts.flatMap(({ staleAt }) => staleAt ?? []);
  return { files, staleAt: stale.length > 0 ? Math.min(...stale) : undefined };
}

async function readSource(of: VolumeReadInput, source: Projection, mode: number): Promise<VolumeContent> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (serviceAccountToken) {
    const { audience, expirationSeconds = AN_HOUR, path: file } = serviceAccountToken;
    const { token, renewAt } = await of.tokenCache.get(of.tokens, { pod: of.pod, audience, expirationSeconds }, of.now);
    const files = [{ path: file, content: Buffer.from(token), mode: 0o600 }];
    return { files, staleAt: renewAt };
  }
  if (downwardAPI)
    return { files: (downwardAPI.items ?? []).map(item => downward(of, item, mode)), staleAt: undefined };
  const { name = '', optional = false, items } = secret ?? configMap ?? {};
  const reference: ConfigReference = {
    kind: secret ? 'secret' : 'configmap',
    namespace: namespaceOf(of.pod),
    name,
    optional,
  };
  const data = await of.config.read(reference);
  return { files: data ? filesOf(data, reference, { items, mode }) : [], staleAt: undefined };
}

function filesOf(
  data: ReadonlyMap<string, Buffer>,
  { kind, name, optional }: ConfigReference,
  { items, mode }: { readonly items: Items | undefined; readonly mode: number },
): VolumeFile[] {
  if (!items) return [...data].map(([key, content]) => ({ path: key, content, mode }));
  return items.flatMap(({ key, path: file, mode: own = mode }) => {
    const content = data.get(key);
    if (!content && !optional) throw CONFIG_KEY_MISSING({ key, kind, name });
    return content ? [{ path: file, content, mode: own }] : [];
  });
}

type DownwardItem = NonNullable<NonNullable<SpecVolume['downwardAPI']>['items']>[number];

function downward(of: VolumeContentInput, item: DownwardItem, mode: number): VolumeFile {
  const { fieldRef, resourceFieldRef } = item;
  const value = fieldRef
    ? fieldValue(of.pod, fieldRef.fieldPath, {
        hostAddresses: of.node.addresses,
        podAddress: of.pod.status?.podIP ?? '',
      })
    : resourceFieldRef && resourceFieldValue(of.pod, resourceFieldRef, of.node.allocatable);
  if (value === undefined) throw FIELD_UNKNOWN({ field: fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? '' });
  return { path: item.path, content: Buffer.from(value), mode: item.mode ?? mode };
}

/** The API server validates paths, too; this check protects the host's files from the author of a Pod. */
function rejectUnsafePath(file: string): void {
  const parts = file.split('/');
  if (path.isAbsolute(file) || parts.includes('..') || parts[0]?.startsWith('..'))
    throw CONFIG_PATH_UNSAFE({ path: file });
}

/** ConfigMaps and Secrets used by a Pod's volumes. */
export function volumeReferences(pod: Pod): ConfigReference[] {
  const namespace = namespaceOf(pod);
  return (pod.spec?.volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    ...named('configmap', configMap?.name),
    ...named('secret', secret?.secretName),
    ...(projected?.sources ?? []).flatMap(source => [
      ...named('configmap', source.configMap?.name),
      ...named('secret', source.secret?.name),
    ]),
  ]);

  function named(kind: ConfigReference['kind'], name: string | undefined): ConfigReference[] {
    return name ? [{ kind, namespace, name, optional: true }] : [];
  }
}
