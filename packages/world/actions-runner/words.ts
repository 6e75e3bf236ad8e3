import type { Conclusion } from '../github/jobs/job.ts';

/** What the listener prints (actions/runner's source), with the time as .NET's format `u` has it. */
const at = (now: number): string => `${new Date(now).toISOString().replace('T', ' ').slice(0, 19)}Z`;

/** `abandoned`: the service has given the job up while it ran. */
export type Result = Conclusion | 'abandoned';

const RESULTS: Readonly<Record<Result, string>> = {
  success: 'Succeeded',
  failure: 'Failed',
  cancelled: 'Canceled',
  // A runner that stops for the timeout of a job was told to cancel it.
  timed_out: 'Canceled',
  abandoned: 'Abandoned',
};

export const CONNECTED = '\n√ Connected to GitHub\n';
export const listening = (now: number, version: string): string =>
  `Current runner version: '${version}'\n${at(now)}: Listening for Jobs`;
export const runningJob = (now: number, job: string): string => `${at(now)}: Running job: ${job}`;
export const completedJob = (now: number, job: string, result: Result): string =>
  `${at(now)}: Job ${job} completed with result: ${RESULTS[result]}`;
export const connectError = (now: number, why: string): string =>
  `${at(now)}: Runner connect error: ${why}. Retrying until reconnected.`;
export const reconnected = (now: number): string => `${at(now)}: Runner reconnected.`;
