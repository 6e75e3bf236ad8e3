import { createHash } from 'node:crypto';
import type { RunnerList } from '@minifleet/forges';
import { deleting, type Node, type Pod, type Secret } from '@minifleet/kube';
import { imageOf, type RunnerPodState, runnerPodState } from './pod-state.ts';
import {
  type RegistrationState,
  type RunnerRegistration,
  readRegistration,
  registrationState,
} from './registration.ts';

export type PoolRunnerState =
  /** Waits for a Node. */
  | 'pending'
  /** On a Node and not yet online. */
  | 'starting'
  | 'idle'
  | 'busy'
  /** Its VM runs and its forge does not know it, or does not hear it any more. */
  | 'lost'
  /** Its VM runs and its forge has not been asked: nobody knows whether it has a job. */
  | 'unseen'
  | 'ended'
  | 'terminating'
  /** Its Pod is gone; the record of its registration is not. */
  | 'leftover';

type StateTable<Row extends string, Column extends string, Cell> = Readonly<
  Record<Row, Readonly<Record<Column, Cell>>>
>;

/** Pod × registration. Total: a test walks every cell. A job is believed before anything a Pod says of its start. */
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

/** Whether a pool still wants a runner. */
export type Desire = 'wanted' | 'surplus';

export type RunnerAction =
  | 'keep'
  /** Something else has to happen first. */
  | 'wait'
  /** Register it, if it is not yet: it is on a Node. */
  | 'register'
  /** Ask the forge to remove it, and delete its Pod if it did. */
  | 'retire'
  /** Write down how it ended, then delete its Pod. */
  | 'reap'
  /** Remove its registration, then its Secret. */
  | 'clear';

/** Desire × state. Nothing here takes a runner with a job, and nothing is asked of one whose forge has not been heard. */
export const runnerActions: StateTable<Desire, PoolRunnerState, RunnerAction> = {
  wanted: {
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

/** One runner as a pass sees it: a Pod and a Secret of one name, and what its forge says of it. */
export interface PoolRunner {
  readonly name: string;
  readonly state: PoolRunnerState;
  readonly pod: Pod | undefined;
  readonly secret: Secret | undefined;
  readonly registration: RunnerRegistration;
  /** Of another image than the pool wants. */
  readonly stale: boolean;
  /** Its Node takes no more work. */
  readonly draining: boolean;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
}

export interface RunnerObservation {
  readonly name: string;
  readonly pod: Pod | undefined;
  readonly secret: Secret | undefined;
  readonly node: Node | undefined;
  readonly account: RunnerList;
  /** Of the pool. */
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

/** The end of the key of the label that Nodes with this image ready to clone carry. */
export const goldenHash = (image: string): string => createHash('sha256').update(image).digest('hex').slice(0, 16);
