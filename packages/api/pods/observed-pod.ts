import { finalizers, labels, labelValues, podConditions } from '../names.ts';

/** Fields of a Pod that the decision about a stuck Pod reads. */
export interface ObservedPod {
  readonly metadata: {
    readonly deletionTimestamp?: string | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly startTime?: string | undefined;
        readonly conditions?: readonly ObservedCondition[] | undefined;
        readonly containerStatuses?: readonly ObservedContainer[] | undefined;
      }
    | undefined;
}

/** Fields of a Node that identify its agent and show if the agent is connected. */
export interface ObservedNode {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined };
  readonly status?:
    | {
        readonly conditions?: readonly ObservedCondition[] | undefined;
      }
    | undefined;
}

interface ObservedCondition {
  readonly type: string;
  readonly status: string;
}

interface ObservedContainer {
  readonly state?: { readonly terminated?: object | undefined } | undefined;
}

/** True if the Pod is being deleted and has the finalizer of the previous agent. */
export const isHeldForVM = ({ metadata }: ObservedPod): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizers.vmCleanup);

/** True if the Minifleet agent reports that nothing of the Pod is left. */
export const isFinished = ({ status }: ObservedPod): boolean => holds(status?.conditions, podConditions.finished);

/** True if no agent has started the Pod: an agent sets the start time first. */
export const isUntouched = ({ status }: ObservedPod): boolean =>
  status?.startTime === undefined && (status?.containerStatuses ?? []).length === 0;

/**
 * True if an agent reported the exit of the VM. Only an agent sets Succeeded, after the exit. Other controllers also set Failed
 * without knowledge of the VM, so the container statuses must confirm it.
 */
export function hasEnded({ status }: ObservedPod): boolean {
  const containers = status?.containerStatuses ?? [];
  if (!containers.every(({ state }) => state?.terminated !== undefined)) return false;
  return status?.phase === 'Succeeded' || (status?.phase === 'Failed' && containers.length > 0);
}

/** Agent of a Node. `older`: the agent of the previous system, which sets the finalizer. */
export function agentOf({ metadata }: ObservedNode): 'ours' | 'older' | 'another' {
  if (metadata.labels?.[labels.agentVersion] !== undefined) return 'ours';
  return metadata.labels?.[labels.runtime] === labelValues.runtimeTart ? 'older' : 'another';
}

export const isReady = ({ status }: ObservedNode): boolean => holds(status?.conditions, 'Ready');

const holds = (conditions: readonly ObservedCondition[] | undefined, wanted: string): boolean =>
  (conditions ?? []).some(({ type, status }) => type === wanted && status === 'True');
