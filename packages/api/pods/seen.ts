import { finalizers, labels, labelValues, podConditions } from '../names.ts';

/** What is read of a Pod to judge why it is not gone. */
export interface PodSeen {
  readonly metadata: {
    readonly deletionTimestamp?: string | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly startTime?: string | undefined;
        readonly conditions?: readonly ConditionSeen[] | undefined;
        readonly containerStatuses?: readonly ContainerSeen[] | undefined;
      }
    | undefined;
}

/** What is read of a Node: whose agent it runs, and whether that agent is heard. */
export interface NodeSeen {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined };
  readonly status?:
    | {
        readonly conditions?: readonly ConditionSeen[] | undefined;
      }
    | undefined;
}

interface ConditionSeen {
  readonly type: string;
  readonly status: string;
}

interface ContainerSeen {
  readonly state?: { readonly terminated?: object | undefined } | undefined;
}

/** Being deleted, and not gone because the older agent's finalizer is on it. */
export const isHeldForVM = ({ metadata }: PodSeen): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizers.vmCleanup);

/** Our agent says that nothing of the Pod is left. */
export const isFinished = ({ status }: PodSeen): boolean => holds(status?.conditions, podConditions.finished);

/** No agent has taken it up: whoever does writes a start time. */
export const isUntouched = ({ status }: PodSeen): boolean =>
  status?.startTime === undefined && (status?.containerStatuses ?? []).length === 0;

/**
 * Its VM has exited, as an agent reported. Only an agent writes Succeeded, after the exit; Failed is also written by others,
 * who know nothing of the VM, so there the containers must say it.
 */
export function hasEnded({ status }: PodSeen): boolean {
  const containers = status?.containerStatuses ?? [];
  if (!containers.every(({ state }) => state?.terminated !== undefined)) return false;
  return status?.phase === 'Succeeded' || (status?.phase === 'Failed' && containers.length > 0);
}

/** The agent a Node runs. `older`: the one before ours, which puts the finalizer on. */
export function agentOf({ metadata }: NodeSeen): 'ours' | 'older' | 'another' {
  if (metadata.labels?.[labels.agentVersion] !== undefined) return 'ours';
  return metadata.labels?.[labels.runtime] === labelValues.runtimeTart ? 'older' : 'another';
}

export const isReady = ({ status }: NodeSeen): boolean => holds(status?.conditions, 'Ready');

const holds = (conditions: readonly ConditionSeen[] | undefined, wanted: string): boolean =>
  (conditions ?? []).some(({ type, status }) => type === wanted && status === 'True');
