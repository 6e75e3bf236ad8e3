import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KUBERNETES_VERSION } from '@minifleet/local-cluster';
import { run } from '@minifleet/local-cluster/testing/cluster-for-tests';
import { parseAllDocuments, stringify } from 'yaml';

/** Both Helm versions in use. */
export const HELMS = ['helm', 'helm3'] as const;
export type Helm = (typeof HELMS)[number];
export type Values = Readonly<Record<string, unknown>>;

export const CHART = new URL('../minifleet', import.meta.url).pathname;
export const CRDS_CHART = new URL('../minifleet-crds', import.meta.url).pathname;
export const NAMESPACE = 'minifleet-system';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: never;
  readonly [field: string]: unknown;
}

const folder = mkdtempSync(join(tmpdir(), 'minifleet-chart-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** Writes a file that is removed after the tests. */
export function fileWith(text: string, name = 'values.yaml'): string {
  files += 1;
  const file = join(folder, `${files}-${name}`);
  writeFileSync(file, text);
  return file;
}

export const valuesFile = (values: Values): string => fileWith(stringify(values));
// Without a cluster, Helm must be given the API versions.
const known = `--kube-version=${KUBERNETES_VERSION}`;

export async function render(helm: Helm, values: Values, namespace: string = NAMESPACE): Promise<Manifest[]> {
  const argv = ['template', 'minifleet', CHART, `--namespace=${namespace}`, known, '--values', valuesFile(values)];
  return manifestsIn(await run(helm, ...argv));
}

export const lint = (helm: Helm, values: Values): Promise<string> =>
  run(helm, 'lint', '--strict', CHART, known, '--values', valuesFile(values));

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap(document => (document.toJS() as Manifest | null) ?? []);

export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter(manifest => manifest.kind === kind);

/** Returns the object of the kind and name. If there is none, the error lists the objects. */
export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = ofKind(manifests, kind).find(({ metadata }) => metadata.name === name);
  if (!found)
    throw new Error(`no ${kind} ${name} among ${manifests.map(one => `${one.kind} ${one.metadata.name}`).join(', ')}`);
  return found;
}

interface PodTemplate {
  readonly metadata: object;
  readonly spec: {
    readonly initContainers?: readonly object[];
    readonly containers: readonly { readonly args: readonly string[]; readonly image: string }[];
  };
}

/** Returns the Pod template of a Deployment or a Job. */
export const podTemplateOf = ({ spec }: Manifest): PodTemplate => (spec as never as { template: PodTemplate }).template;
export const argumentsOf = (manifest: Manifest): readonly string[] =>
  podTemplateOf(manifest).spec.containers[0]?.args ?? [];
