import type { Pod } from '@minifleet/kube';
import { ADDRESS_IN_PROCESS } from '../../guests/guest.ts';
import type { PodNodeView } from '../admission/admit.ts';
import { CONFIG_KEY_MISSING, FIELD_UNKNOWN } from '../errors.ts';
import { type ConfigSource, namespaceOf } from './config-source.ts';
import { fieldValue, resourceFieldValue } from './downward-api.ts';

interface EnvironmentInput {
  readonly pod: Pod;
  readonly node: PodNodeView;
  readonly config: ConfigSource;
}

type EnvironmentContainer = NonNullable<Pod['spec']>['containers'][number];
type EnvironmentVariable = NonNullable<EnvironmentContainer['env']>[number];
type EnvironmentFrom = NonNullable<EnvironmentContainer['envFrom']>[number];
type VariableSource = NonNullable<EnvironmentVariable['valueFrom']>;

/**
 * Reads the container's environment: envFrom in order, then env, where each variable may refer to earlier ones. No
 * Service variables. The guest's address is not known yet; `ADDRESS_IN_PROCESS` is its placeholder.
 */
export async function readEnvironment(of: EnvironmentInput): Promise<ReadonlyMap<string, string>> {
  const container = of.pod.spec?.containers[0];
  const variables = new Map<string, string>();
  for (const from of container?.envFrom ?? []) {
    for (const [name, value] of await readAll(of, from)) variables.set(name, value);
  }
  for (const variable of container?.env ?? []) {
    const value = await readOne(of, variable, variables);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

async function readAll(
  of: EnvironmentInput,
  { prefix = '', configMapRef, secretRef }: EnvironmentFrom,
): Promise<[string, string][]> {
  const kind = secretRef ? 'secret' : 'configmap';
  const { name = '', optional = false } = secretRef ?? configMapRef ?? {};
  const data = await of.config.read({ kind, namespace: namespaceOf(of.pod), name, optional });
  return [...(data ?? [])].map(([key, value]) => [`${prefix}${key}`, value.toString('utf8')]);
}

async function readOne(
  of: EnvironmentInput,
  { value, valueFrom }: EnvironmentVariable,
  before: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  if (!valueFrom) return expand(value ?? '', before);
  const { fieldRef, resourceFieldRef } = valueFrom;
  if (fieldRef) {
    const found = fieldValue(of.pod, fieldRef.fieldPath, {
      hostAddresses: of.node.addresses,
      podAddress: ADDRESS_IN_PROCESS,
    });
    if (found === undefined) throw FIELD_UNKNOWN({ field: fieldRef.fieldPath });
    return found;
  }
  if (resourceFieldRef) {
    const found = resourceFieldValue(of.pod, resourceFieldRef, of.node.allocatable);
    if (found === undefined) throw FIELD_UNKNOWN({ field: resourceFieldRef.resource });
    return found;
  }
  return readKey(of, valueFrom);
}

async function readKey(
  of: EnvironmentInput,
  { configMapKeyRef, secretKeyRef }: VariableSource,
): Promise<string | undefined> {
  const kind = secretKeyRef ? 'secret' : 'configmap';
  const { name = '', key = '', optional = false } = secretKeyRef ?? configMapKeyRef ?? {};
  const data = await of.config.read({ kind, namespace: namespaceOf(of.pod), name, optional });
  const value = data?.get(key);
  if (value === undefined && !optional) throw CONFIG_KEY_MISSING({ key, kind, name });
  return value?.toString('utf8');
}

/**
 * Expands `$(NAME)` to the value of NAME, or leaves it unchanged if NAME is undefined; `$$` becomes `$`, so `$$(NAME)`
 * becomes the text `$(NAME)`. Same rules as Kubernetes for command, args and env.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? match),
  );
}
