import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import type { NodeView } from '../admission/admit.ts';
import { type ConfigReference, type ConfigSource, namespaceOf } from '../environment/config-source.ts';
import { fieldValue, resourceFieldValue } from '../environment/downward-api.ts';

import { CONFIG_KEY_MISSING, CONFIG_PATH_UNSAFE, FIELD_UNKNOWN } from '../errors.ts';
import type { VolumeFile } from './atomic-volume.ts';
import type { KeptTokens, TokenSource } from './service-account-tokens.ts';

export interface ContentOf {
  readonly pod: Pod;
  readonly node: NodeView;
  readonly config: ConfigSource;
  readonly tokens: TokenSource;
  readonly now: number;
}

interface Reading extends ContentOf {
  readonly kept: KeptTokens;
}

interface VolumeContent {
  readonly files: readonly VolumeFile[];
  /** When something in it has to be made anew; undefined while it holds no token. */
  readonly staleAt: number | undefined;
}

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];
type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];
type Items = NonNullable<NonNullable<Volume['configMap']>['items']>;

const MODE = 0o644;
const AN_HOUR = 3_600;

/** The files of a configMap, secret, downwardAPI or projected volume as they should be now. */
export async function readVolume(of: Reading, volume: Volume): Promise<VolumeContent> {
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
  for (const file of files) refuseUnsafe(file.path);
  const stale = parts.flatMap(({ staleAt }) => staleAt ?? []);
  return { files, staleAt: stale.length > 0 ? Math.min(...stale) : undefined };
}

async function readSource(of: Reading, source: Projection, mode: number): Promise<VolumeContent> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (serviceAccountToken) {
    const { audience, expirationSeconds = AN_HOUR, path: file } = serviceAccountToken;
    const { token, renewAt } = await of.kept.get(of.tokens, { pod: of.pod, audience, expirationSeconds }, of.now);
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

type DownwardItem = NonNullable<NonNullable<Volume['downwardAPI']>['items']>[number];

function downward(of: ContentOf, item: DownwardItem, mode: number): VolumeFile {
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

/** The API server has checked it too; this is the line between a Pod's author and the files of the host. */
function refuseUnsafe(file: string): void {
  const parts = file.split('/');
  if (path.isAbsolute(file) || parts.includes('..') || parts[0]?.startsWith('..'))
    throw CONFIG_PATH_UNSAFE({ path: file });
}

/** The ConfigMaps and Secrets whose content a Pod's volumes show. */
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
