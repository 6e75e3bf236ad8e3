import type { Quantity } from '@minifleet/api';
import { type Pod, parseQuantity } from '@minifleet/kube';
import { type Amounts, add, requestsOf } from '../resources.ts';
import type { Refusal } from './field-rule.ts';
import { fitResources } from './fit-resources.ts';
import { matchNode } from './match-node.ts';
import { refuseFields } from './refuse-fields.ts';
import { refuseScreen } from './screen.ts';

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
