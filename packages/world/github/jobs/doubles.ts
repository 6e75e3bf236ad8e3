import type { Begun, Job } from './job.ts';

/** What must never be, as a sentence each: a job that two processes set to work on, a runner for one job that took two. */
export function doubles(jobs: readonly Job[]): readonly string[] {
  const twice = jobs
    .filter(job => job.begun.length > 1)
    .map(job => `${nameOf(job)} was begun by ${job.begun.map(by => `${by.name} (session ${by.session})`).join(', ')}`);
  const byRunner = Map.groupBy(
    jobs.flatMap(job => job.begun.filter(by => by.ephemeral).map(by => ({ by, job }))),
    ({ by }) => runnerName(by),
  );
  const greedy = [...byRunner]
    .map(([runner, taken]) => ({ runner, names: [...new Set(taken.map(({ job }) => nameOf(job)))] }))
    .filter(({ names }) => names.length > 1)
    .map(({ runner, names }) => `${runner} began ${names.join(', ')}`);
  return [...twice, ...greedy];
}

const nameOf = (job: Job): string => `${job.name} (${job.id})`;
const runnerName = ({ name, id }: Begun): string => `${name} (${id})`;
