import type { Quantity } from '@minifleet/api';
import { annotations } from '@minifleet/api/names';
import { type Pod, parseQuantity } from '@minifleet/kube';
import { add, type ResourceAmounts, requestsOf } from '../resources.ts';
import type { Refusal } from './field-rule.ts';
import { refuseFields } from './refuse-fields.ts';

/** Node properties that admission, environment and volumes use. */
export interface PodNodeView {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** IP addresses of the host, the main one first. */
  readonly addresses: readonly string[];
}

/**
 * Decides whether a Pod may run beside the admitted ones; undefined admits it. Decided once, when the Pod is first
 * observed.
 */
export function admit(pod: Pod, node: PodNodeView, others: readonly Pod[]): Refusal | undefined {
  const { spec } = pod;
  if (!spec) return { reason: 'UnexpectedAdmissionError', message: 'Pod was rejected: it has no spec' };
  return (
    refuseFields(spec) ??
    refuseScreen(pod) ??
    matchNode(spec, node) ??
    fitResources({
      requested: demandOf(pod),
      used: others.map(demandOf).reduce(add, {}),
      allocatable: Object.fromEntries(
        Object.entries(node.allocatable).map(([name, quantity]) => [name, parseQuantity(quantity)]),
      ),
    })
  );
}

const demandOf = ({ spec }: Pod): ResourceAmounts => ({ ...(spec ? requestsOf(spec) : {}), pods: 1 });

/** One VM slot. A Pod without a free slot waits instead of being rejected. */
const VM_SLOT_RESOURCE = 'minifleet.dev/macos-vm';

interface ResourceFit {
  readonly requested: ResourceAmounts;
  /** Sum over all admitted Pods. */
  readonly used: ResourceAmounts;
  readonly allocatable: ResourceAmounts;
}

/** As in kubelet, reports the first resource that does not fit. A resource the node does not have has capacity 0. */
function fitResources({ requested, used, allocatable }: ResourceFit): Refusal | undefined {
  for (const [name, amount] of Object.entries(requested)) {
    const capacity = allocatable[name] ?? 0;
    if (amount === 0 || name === VM_SLOT_RESOURCE || (used[name] ?? 0) + amount <= capacity) continue;
    const numbers = `requested: ${amount}, used: ${used[name] ?? 0}, capacity: ${capacity}`;
    const message = `Pod was rejected: Node didn't have enough resource: ${name}, ${numbers}`;
    return { reason: `OutOf${name}`, message };
  }
  return undefined;
}

type AdmittedSpec = NonNullable<Pod['spec']>;
type Labels = Readonly<Record<string, string>>;
type RequiredAffinity = NonNullable<
  NonNullable<NonNullable<AdmittedSpec['affinity']>['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>;
type AffinityTerm = RequiredAffinity['nodeSelectorTerms'][number];
type AffinityExpression = NonNullable<AffinityTerm['matchExpressions']>[number];

/** Checks nodeSelector and required node affinity again, because a Pod may be bound by hand, past the scheduler. */
function matchNode(spec: AdmittedSpec, node: { readonly name: string; readonly labels: Labels }): Refusal | undefined {
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => node.labels[key] === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = { 'metadata.name': node.name };
  const liked = terms === undefined || terms.some(term => matches(term, node.labels, fields));
  if (selected && liked) return undefined;
  const message = "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  return { reason: 'NodeAffinity', message };
}

function matches({ matchExpressions = [], matchFields = [] }: AffinityTerm, labels: Labels, fields: Labels): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every(expression => holds(expression, labels)) && matchFields.every(field => holds(field, fields))
  );
}

function holds({ key, operator, values = [] }: AffinityExpression, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}

const screenAnnotation = ({ metadata }: Pod): string | undefined => metadata.annotations?.[annotations.screen];

/**
 * Reports whether the Pod's guest starts with a screen. Evaluated at each start: a change takes effect with the next
 * run.
 */
export const wantsScreen = (pod: Pod): boolean => screenAnnotation(pod) === 'true';

/** Rejects other values, which would otherwise silently mean "false". */
function refuseScreen(pod: Pod): Refusal | undefined {
  const word = screenAnnotation(pod);
  if (word === undefined || word === 'true' || word === 'false') return undefined;
  const message = `metadata.annotations["${annotations.screen}"] is not supported: use "true" or "false", not ${JSON.stringify(word)}`;
  return { reason: 'ScreenNotSupported', message };
}
