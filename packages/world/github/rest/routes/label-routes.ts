import type { Runner } from '../../runners/runner.ts';
import { ApiError } from '../api-error.ts';
import type { Answer, Call, Route } from '../route.ts';
import { labelView } from '../view/runner-view.ts';
import { runnerOf } from './runner-routes.ts';

const PATH = '/orgs/{org}/actions/runners/{runner_id}/labels';
const READ = { organization_self_hosted_runners: 'read' } as const;
const WRITE = { organization_self_hosted_runners: 'write' } as const;

/** Custom labels of an organization's runner; those the service knows itself cannot be taken off. */
export const labelRoutes: readonly Route[] = [
  { method: 'GET', path: PATH, as: READ, answer: call => show(runnerOf(call)) },
  {
    method: 'POST',
    path: PATH,
    as: WRITE,
    fields: ['labels'],
    answer: call => relabel(call, runner => [...customLabels(runner), ...labelsIn(call)]),
  },
  { method: 'PUT', path: PATH, as: WRITE, fields: ['labels'], answer: call => relabel(call, () => labelsIn(call)) },
  { method: 'DELETE', path: PATH, as: WRITE, answer: call => relabel(call, () => []) },
];

const customLabels = (runner: Runner): string[] =>
  runner.labels.filter(label => label.type === 'custom').map(label => label.name);

function labelsIn({ body }: Call): string[] {
  const { labels } = body;
  if (!Array.isArray(labels)) throw new ApiError(422, 'Invalid request.\n\n"labels" wasn\'t supplied.');
  return labels.map(String);
}

function relabel(call: Call, custom: (runner: Runner) => readonly string[]): Answer {
  const runner = runnerOf(call);
  call.forge.runners.relabel(runner, custom(runner));
  return show(runner);
}

const show = ({ labels }: Runner): Answer => ({
  status: 200,
  body: { total_count: labels.length, labels: labels.map(labelView) },
});
