import { createHash } from 'node:crypto';
import type { RunnerList } from '@minifleet/forges';
import type { Node, Pod, Secret } from '@minifleet/kube';
import { deleting } from '@minifleet/kube';
import { type RunnerState, runnerStates } from './classify-runner.ts';
import { imageOf, podSight } from './pod-sight.ts';
import { type Registration, readRegistration, registrationSight } from './registration.ts';

/** One runner as a pass sees it: a Pod and a Secret of one name, and what its forge says of it. */
export interface Runner {
  readonly name: string;
  readonly state: RunnerState;
  readonly pod: Pod | undefined;
  readonly secret: Secret | undefined;
  readonly registration: Registration;
  /** Of another image than the pool wants. */
  readonly stale: boolean;
  /** Its Node takes no more work. */
  readonly draining: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
}

export interface RunnerSeen {
  readonly name: string;
  readonly pod: Pod | undefined;
  readonly secret: Secret | undefined;
  readonly node: Node | undefined;
  readonly account: RunnerList;
  /** Of the pool. */
  readonly image: string;
}

export function classifyRunner({ name, pod, secret, node, account, image }: RunnerSeen): Runner {
  const registration = readRegistration(secret);
  return {
    name,
    pod,
    secret,
    registration,
    state: runnerStates[podSight(pod)][registrationSight(name, registration, account)],
    stale: pod !== undefined && imageOf(pod) !== image,
    draining: node !== undefined && (node.spec?.unschedulable === true || deleting(node)),
    createdAt: Date.parse((pod ?? secret)?.metadata.creationTimestamp ?? '') || 0,
  };
}

/** The end of the key of the label that Nodes with this image ready to clone carry. */
export const goldenHash = (image: string): string => createHash('sha256').update(image).digest('hex').slice(0, 16);
