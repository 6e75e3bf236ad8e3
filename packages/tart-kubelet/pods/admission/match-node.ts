import type { Pod } from '@minifleet/kube';
import type { Refusal } from './field-rule.ts';

type Spec = NonNullable<Pod['spec']>;
type Labels = Readonly<Record<string, string>>;
type Required = NonNullable<
  NonNullable<NonNullable<Spec['affinity']>['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>;
type Term = Required['nodeSelectorTerms'][number];
type Expression = NonNullable<Term['matchExpressions']>[number];

/** The node's side of nodeSelector and required node affinity: a Pod may be bound by hand, past the scheduler. */
export function matchNode(spec: Spec, node: { readonly name: string; readonly labels: Labels }): Refusal | undefined {
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
