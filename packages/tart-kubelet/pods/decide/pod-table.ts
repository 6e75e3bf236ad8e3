/** What the API says of a Pod. */
export type Desired =
  /** Its object is gone: nobody will ask how it ended. */
  | 'absent'
  | 'wanted'
  /** Marked for deletion: its object goes when its guest has gone. */
  | 'terminating'
  /** It ran its course, was refused, or ran out of time; its object stays. */
  | 'finished';

/** What the host says of the Pod's newest run. */
export type Observed =
  | 'none'
  /** Pulling, preparing, waiting for a slot, cloning: a launch is under way. */
  | 'launching'
  /** Its record exists and nobody is making it: an agent died, or a clone failed. */
  | 'half made'
  | 'starting'
  | 'running'
  /** Starts or runs, and may not go on: a probe or a hook failed, or the Pod asks for another image. */
  | 'condemned'
  | 'exited';

export type Action =
  | 'launch'
  | 'wait'
  | 'tend'
  | 'restart'
  /** Gives up the launch under way. */
  | 'abandon'
  | 'stop'
  /** Writes the terminal status, then tears down. */
  | 'finish'
  /** The same, and gives the API object back. */
  | 'release'
  /** Tears down without a word: there is no object to write to. */
  | 'forget';

/** Desired × observed: the life of a Pod. Total: the test walks every cell. */
export const podTable: Readonly<Record<Desired, Readonly<Record<Observed, Action>>>> = {
  absent: {
    none: 'forget',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'forget',
  },
  wanted: {
    none: 'launch',
    launching: 'wait',
    'half made': 'launch',
    starting: 'wait',
    running: 'tend',
    condemned: 'stop',
    exited: 'restart',
  },
  terminating: {
    none: 'release',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'release',
  },
  finished: {
    none: 'finish',
    launching: 'abandon',
    'half made': 'stop',
    starting: 'stop',
    running: 'stop',
    condemned: 'stop',
    exited: 'finish',
  },
};
