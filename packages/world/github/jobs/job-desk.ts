import { ApiError } from '../rest/api-error.ts';
import type { Answer, Call, Route } from '../rest/route.ts';
import type { Job } from './job.ts';

const PATH = '/_world/jobs';

/** Where a person beside the world queues a job and sees what became of it; GitHub has a web page and a push for that. */
export const jobDesk: readonly Route[] = [
  { method: 'POST', path: PATH, as: 'anyone', beside: true, answer: queue },
  { method: 'GET', path: PATH, as: 'anyone', beside: true, answer: list },
];

function queue({ forge, body }: Call): Answer {
  const { repository, labels, script } = body;
  const known = typeof repository === 'string' && forge.accounts.findScope(repository)?.repository;
  if (!known || !isTexts(labels) || labels.length === 0) {
    throw new ApiError(422, 'send {"repository": "acme/app", "labels": ["macos-26"], "script": "sw_vers"}');
  }
  const job = forge.jobs.queue({
    repository: known.fullName,
    labels,
    ...(typeof script === 'string' ? { script } : {}),
  });
  return { status: 201, text: `job ${job.id} is queued for ${labels.join(', ')}\n`, headers: PLAIN };
}

function list({ forge }: Call): Answer {
  const text = forge.jobs.all.map(job => `${lineOf(job)}\n`).join('') || 'no job yet\n';
  return { status: 200, text, headers: PLAIN };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

const lineOf = ({ id, name, status, conclusion, labels, runner }: Job): string =>
  `${id} ${name}: ${conclusion ?? status}, ${runner ? `by ${runner.name}` : `waits for ${labels.join(', ')}`}`;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string');
