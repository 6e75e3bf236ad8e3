import type { Quantity } from '@minifleet/api';
import { annotations } from '@minifleet/api/names';
import { type Pod, parseQuantity } from '@minifleet/kube';
import { type Amounts, add, requestsOf } from '../resources.ts';
import type { Refusal } from './field-rule.ts';
import { refuseFields } from './refuse-fields.ts';

/** The node as its Pods see it. */
export interface NodeView {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** IP addresses of the host, the main one first. */
  readonly addresses: readonly string[];
}

/** Whether a Pod may run here, beside those that may already; undefined says yes. Decided once, when it is first seen. */
export function admit(pod: Pod, node: NodeView, others: readonly Pod[]): Refusal | undefined {
  const { spec } = pod;
  if (!spec) return { reason: 'UnexpectedAdmissionError', message: 'Pod was rejected: it has no spec' };
  return (
    refuseFields(spec) ??
    refuseScreen(pod) ??
    matchNode(spec, node) ??
    fitResources({
      wanted: demandOf(pod),
      used: others.map(demandOf).reduce(add, {}),
      allocatable: Object.fromEntries(
        Object.entries(node.allocatable).map(([name, quantity]) => [name, parseQuantity(quantity)]),
      ),
    })
  );
}

const demandOf = ({ spec }: Pod): Amounts => ({ ...(spec ? requestsOf(spec) : {}), pods: 1 });

/** One VM slot; a Pod that finds none waits for one, it is not refused. */
const VM_SLOT_RESOURCE = 'minifleet.dev/macos-vm';

interface Fit {
  readonly wanted: Amounts;
  /** Of all Pods that may run already. */
  readonly used: Amounts;
  readonly allocatable: Amounts;
}

/** As kubelet: the first resource of which there is not enough left. A resource the node does not have is one of which there is none. */
function fitResources({ wanted, used, allocatable }: Fit): Refusal | undefined {
  for (const [name, amount] of Object.entries(wanted)) {
    const capacity = allocatable[name] ?? 0;
    if (amount === 0 || name === VM_SLOT_RESOURCE || (used[name] ?? 0) + amount <= capacity) continue;
    const numbers = `requested: ${amount}, used: ${used[name] ?? 0}, capacity: ${capacity}`;
    const message = `Pod was rejected: Node didn't have enough resource: ${name}, ${numbers}`;
    return { reason: `OutOf${name}`, message };
  }
  return undefined;
}

type Spec = NonNullable<Pod['spec']>;
type Labels = Readonly<Record<string, string>>;
type Required = NonNullable<
  NonNullable<NonNullable<Spec['affinity']>['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>;
type Term = Required['nodeSelectorTerms'][number];
type Expression = NonNullable<Term['matchExpressions']>[number];

/** The node's side of nodeSelector and required node affinity: a Pod may be bound by hand, past the scheduler. */
function matchNode(spec: Spec, node: { readonly name: string; readonly labels: Labels }): Refusal | undefined {
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => node.labels[key] === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = { 'metadata.name': node.name };
  const liked = terms === undefined || terms.some(term => matches(term, node.labels, fields));
  if (selected && liked) return undefined;
  const message = "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  return { reason: 'NodeAffinity', message };
}

function matches({ matchExpressions = [], matchFields = [] }: Term, labels: Labels, fields: Labels): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every(expression => holds(expression, labels)) && matchFields.every(field => holds(field, fields))
  );
}

function holds({ key, operator, values = [] }: Expression, labels: Labels): boolean {
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

const asked = ({ metadata }: Pod): string | undefined => metadata.annotations?.[annotations.screen];

/** Whether the Pod's guest is started with a screen. Asked at each start: a change counts from the next run on. */
export const wantsScreen = (pod: Pod): boolean => asked(pod) === 'true';

/** A word that is neither yes nor no would else mean no, and nobody would be told. */
function refuseScreen(pod: Pod): Refusal | undefined {
  const word = asked(pod);
  if (word === undefined || word === 'true' || word === 'false') return undefined;
  const message = `metadata.annotations["${annotations.screen}"] is not supported: it is "true" or "false", not ${JSON.stringify(word)}`;
  return { reason: 'ScreenNotSupported', message };
}
