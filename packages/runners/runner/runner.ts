import { createHash } from 'node:crypto';
import type { RunnerList } from '@minifleet/forges';
import { deleting, type KubeSecret, type Node, type Pod } from '@minifleet/kube';
import { imageOf, type RunnerPodState, runnerPodState } from './pod-state.ts';
import {
  type RegistrationState,
  type RunnerRegistration,
  readRegistration,
  registrationState,
} from './registration.ts';

export type PoolRunnerState =
  /** Waiting for a Node. */
  | 'pending'
  /** On a Node, not yet online. */
  | 'starting'
  | 'idle'
  | 'busy'
  /** The VM runs, but GitHub does not know the runner or reports it offline. */
  | 'lost'
  /** The VM runs, but GitHub has not been queried: unknown whether it has a job. */
  | 'unseen'
  | 'ended'
  | 'terminating'
  /** The Pod is gone, its registration Secret is not. */
  | 'leftover';

type StateTable<Row extends string, Column extends string, Cell> = Readonly<
  Record<Row, Readonly<Record<Column, Cell>>>
>;

/**
 * Pod state × registration state. Total: a test checks every cell. A job takes precedence over the Pod's start state.
 */
export const runnerStates: StateTable<RunnerPodState, RegistrationState, PoolRunnerState> = {
  absent: all('leftover'),
  unbound: all('pending'),
  waiting: { ...all('starting'), idle: 'idle', busy: 'busy', absent: 'lost' },
  running: { ...all('starting'), unknown: 'unseen', cut: 'lost', idle: 'idle', busy: 'busy', absent: 'lost' },
  ended: all('ended'),
  terminating: all('terminating'),
};

function all(state: PoolRunnerState): Readonly<Record<RegistrationState, PoolRunnerState>> {
  return { none: state, unknown: state, offline: state, cut: state, idle: state, busy: state, absent: state };
}

/** Demand of the pool for a runner. */
export type Desire = 'needed' | 'surplus';

export type RunnerAction =
  | 'keep'
  /** Something else must happen first. */
  | 'wait'
  /** Register it unless done: it is on a Node. */
  | 'register'
  /** Remove it at GitHub, and delete its Pod if that succeeded. */
  | 'retire'
  /** Record its end, then delete its Pod. */
  | 'reap'
  /** Remove its registration, then its Secret. */
  | 'clear';

/** Demand × state. No action removes a runner with a job or in an unknown state. */
export const runnerActions: StateTable<Desire, PoolRunnerState, RunnerAction> = {
  needed: {
    pending: 'wait',
    starting: 'register',
    idle: 'keep',
    busy: 'keep',
    lost: 'wait',
    unseen: 'keep',
    ended: 'reap',
    terminating: 'wait',
    leftover: 'clear',
  },
  surplus: {
    pending: 'retire',
    starting: 'retire',
    idle: 'retire',
    busy: 'keep',
    lost: 'retire',
    unseen: 'keep',
    ended: 'reap',
    terminating: 'wait',
    leftover: 'clear',
  },
};

const ALIVE: ReadonlySet<PoolRunnerState> = new Set(['pending', 'starting', 'idle', 'busy', 'lost', 'unseen']);
export const countsAsReplica = (state: PoolRunnerState): boolean => ALIVE.has(state);

/** One runner during a reconcile: Pod and Secret of one name, and its state at GitHub. */
export interface PoolRunner {
  readonly name: string;
  readonly state: PoolRunnerState;
  readonly pod: Pod | undefined;
  readonly secret: KubeSecret | undefined;
  readonly registration: RunnerRegistration;
  /** True if its image is outdated. */
  readonly stale: boolean;
  /** True if its Node is cordoned or being deleted. */
  readonly draining: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
}

interface RunnerObservation {
  readonly name: string;
  readonly pod: Pod | undefined;
  readonly secret: KubeSecret | undefined;
  readonly node: Node | undefined;
  readonly account: RunnerList;
  /** Image of the pool. */
  readonly image: string;
}

export function classifyRunner({ name, pod, secret, node, account, image }: RunnerObservation): PoolRunner {
  const registration = readRegistration(secret);
  return {
    name,
    pod,
    secret,
    registration,
    state: runnerStates[runnerPodState(pod)][registrationState(name, registration, account)],
    stale: pod !== undefined && imageOf(pod) !== image,
    draining: node !== undefined && (node.spec?.unschedulable === true || deleting(node)),
    createdAt: Date.parse((pod ?? secret)?.metadata.creationTimestamp ?? '') || 0,
  };
}

/** Suffix of the label that Nodes with this image ready to clone have. */
export const goldenHash = (image: string): string => createHash('sha256').update(image).digest('hex').slice(0, 16);

/** Reason why a pool removes a runner. The record of the runner's end contains it. */
export type RemovalCause =
  | 'PoolDeleted'
  | 'NodeDraining'
  | 'StartTimedOut'
  | 'IdleTooLong'
  | 'RegistrationLost'
  | 'ImageRolled'
  | 'ScaledDown';
