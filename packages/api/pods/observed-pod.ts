import { finalizers, labels, labelValues, podConditions } from '../names.ts';

/** What is read of a Pod to judge why it is not gone. */
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

/** What is read of a Node: whose agent it runs, and whether that agent is heard. */
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

/** Being deleted, and not gone because the older agent's finalizer is on it. */
export const isHeldForVM = ({ metadata }: ObservedPod): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizers.vmCleanup);

/** Our agent says that nothing of the Pod is left. */
export const isFinished = ({ status }: ObservedPod): boolean => holds(status?.conditions, podConditions.finished);

/** No agent has taken it up: whoever does writes a start time. */
export const isUntouched = ({ status }: ObservedPod): boolean =>
  status?.startTime === undefined && (status?.containerStatuses ?? []).length === 0;

/**
 * Its VM has exited, as an agent reported. Only an agent writes Succeeded, after the exit; Failed is also written by others,
 * who know nothing of the VM, so there the containers must say it.
 */
export function hasEnded({ status }: ObservedPod): boolean {
  const containers = status?.containerStatuses ?? [];
  if (!containers.every(({ state }) => state?.terminated !== undefined)) return false;
  return status?.phase === 'Succeeded' || (status?.phase === 'Failed' && containers.length > 0);
}

/** The agent a Node runs. `older`: the one before ours, which puts the finalizer on. */
export function agentOf({ metadata }: ObservedNode): 'ours' | 'older' | 'another' {
  if (metadata.labels?.[labels.agentVersion] !== undefined) return 'ours';
  return metadata.labels?.[labels.runtime] === labelValues.runtimeTart ? 'older' : 'another';
}

export const isReady = ({ status }: ObservedNode): boolean => holds(status?.conditions, 'Ready');

const holds = (conditions: readonly ObservedCondition[] | undefined, wanted: string): boolean =>
  (conditions ?? []).some(({ type, status }) => type === wanted && status === 'True');
