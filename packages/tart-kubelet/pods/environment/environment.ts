import type { Pod } from '@minifleet/kube';
import { ADDRESS_IN_PROCESS } from '../../guests/guest.ts';
import type { NodeView } from '../admission/admit.ts';
import { CONFIG_KEY_MISSING, FIELD_UNKNOWN } from '../errors.ts';
import { type ConfigSource, namespaceOf } from './config-source.ts';
import { fieldValue, resourceFieldValue } from './downward-api.ts';

interface EnvironmentOf {
  readonly pod: Pod;
  readonly node: NodeView;
  readonly config: ConfigSource;
}

type Container = NonNullable<Pod['spec']>['containers'][number];
type Variable = NonNullable<Container['env']>[number];
type From = NonNullable<Container['envFrom']>[number];
type Source = NonNullable<Variable['valueFrom']>;

/**
 * The container's environment: envFrom in its order, then env, each able to refer to those before it. No Service variables.
 * The guest's own address is not known yet: `ADDRESS_IN_PROCESS` stands for it.
 */
export async function readEnvironment(of: EnvironmentOf): Promise<ReadonlyMap<string, string>> {
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

async function readAll(of: EnvironmentOf, { prefix = '', configMapRef, secretRef }: From): Promise<[string, string][]> {
  const kind = secretRef ? 'secret' : 'configmap';
  const { name = '', optional = false } = secretRef ?? configMapRef ?? {};
  const data = await of.config.read({ kind, namespace: namespaceOf(of.pod), name, optional });
  return [...(data ?? [])].map(([key, value]) => [`${prefix}${key}`, value.toString('utf8')]);
}

async function readOne(
  of: EnvironmentOf,
  { value, valueFrom }: Variable,
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

async function readKey(of: EnvironmentOf, { configMapKeyRef, secretKeyRef }: Source): Promise<string | undefined> {
  const kind = secretKeyRef ? 'secret' : 'configmap';
  const { name = '', key = '', optional = false } = secretKeyRef ?? configMapKeyRef ?? {};
  const data = await of.config.read({ kind, namespace: namespaceOf(of.pod), name, optional });
  const value = data?.get(key);
  if (value === undefined && !optional) throw CONFIG_KEY_MISSING({ key, kind, name });
  return value?.toString('utf8');
}

/**
 * `$(NAME)` becomes the value of NAME if there is one and stays as it is if not; `$$` is one `$`, so `$$(NAME)` is the
 * text `$(NAME)`. As Kubernetes expands command, args and env.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (variables.get(name) ?? match),
  );
}
