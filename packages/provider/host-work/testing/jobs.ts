import assert from 'node:assert/strict';
import { minutes, pause, seconds } from '@minifleet/clock';
import { passTime } from '@minifleet/host/testing';
import { anyStep, drift } from '@minifleet/host/testing/engine';
import type { HostWork, Job } from '../host-work.ts';
import { isOver } from '../job-entry.ts';
import type { WorkBench } from './work-bench.ts';

/** A step that takes five minutes. */
export const slow = anyStep('slow', {
  timeout: minutes(10),
  inspect: async () => drift('it is slow'),
  async change(host) {
    await host.run(['/bin/sleep', '300'], { timeout: minutes(6) });
    return [];
  },
});

export const uidOf = (name: string): string => `uid-of-${name}`;
export const jobOf = (work: HostWork, name: string): Job => {
  const job = work.of(uidOf(name));
  assert.ok(job, `a job of ${name}`);
  return job;
};

/** Lets time pass until the job is over. */
export async function ended({ work, clock }: WorkBench, name: string): Promise<Job> {
  const over = (async () => {
    while (!isOver(jobOf(work, name))) await pause(clock, seconds(1));
  })();
  await passTime(clock, over);
  return jobOf(work, name);
}
