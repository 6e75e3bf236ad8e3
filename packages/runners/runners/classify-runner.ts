import type { PodSight } from './pod-sight.ts';
import type { RegistrationSight } from './registration.ts';

export type RunnerState =
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

type Table<Row extends string, Column extends string, Cell> = Readonly<Record<Row, Readonly<Record<Column, Cell>>>>;

/** Pod × registration. Total: a test walks every cell. A job is believed before anything a Pod says of its start. */
export const runnerStates: Table<PodSight, RegistrationSight, RunnerState> = {
  absent: all('leftover'),
  unbound: all('pending'),
  waiting: { ...all('starting'), idle: 'idle', busy: 'busy', absent: 'lost' },
  running: { ...all('starting'), unknown: 'unseen', cut: 'lost', idle: 'idle', busy: 'busy', absent: 'lost' },
  ended: all('ended'),
  terminating: all('terminating'),
};

function all(state: RunnerState): Readonly<Record<RegistrationSight, RunnerState>> {
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
export const runnerActions: Table<Desire, RunnerState, RunnerAction> = {
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

const ALIVE: ReadonlySet<RunnerState> = new Set(['pending', 'starting', 'idle', 'busy', 'lost', 'unseen']);
export const countsAsReplica = (state: RunnerState): boolean => ALIVE.has(state);
