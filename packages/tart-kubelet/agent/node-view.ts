import type { Node } from '@minifleet/kube';
import type { PodNodeView } from '../pods/admission/admit.ts';

/** The Node as its Pods see it; empty until it is registered, so that no Pod fits before. */
export const nodeView = (name: string, node: Node | undefined): PodNodeView => ({
  name,
  labels: node?.metadata.labels ?? {},
  allocatable: node?.status?.allocatable ?? {},
  addresses: node?.status?.addresses?.flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : [])) ?? [],
});
