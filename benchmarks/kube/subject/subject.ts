/** Process: one measured loop. Separate, so that its memory and CPU time can be measured. */
import { serveCalls } from '../../child/serve-calls.ts';
import type { SubjectName } from '../names.ts';
import type { SubjectCalls, TaskName, Tasks } from './calls.ts';
import type { Loop } from './loop.ts';
import { measureMemory } from './measure-memory.ts';
import { ReconcileCount } from './reconcile-count.ts';
import { annotateOnce } from './task/annotate-once.ts';
import { readCache } from './task/read-cache.ts';
import { recordValues } from './task/record-values.ts';
import type { Task } from './task/task.ts';
import { timeEvents } from './task/time-events.ts';

const TASKS: Tasks = {
  'time-events': timeEvents,
  'read-cache': readCache,
  'annotate-once': annotateOnce,
  'note-values': recordValues,
};

/** Imports only the measured client, because the other one would count as its memory. */
async function importLoop(subject: SubjectName): Promise<(kubeconfig: string) => Loop> {
  switch (subject) {
    case 'minifleet':
      return (await import('./minifleet-loop.ts')).createMinifleetLoop;
    case 'official':
      return (await importOfficialLoop()).createOfficialLoop;
  }
}

// The path is not a literal, because the client's types are installed only for the benchmark.
function importOfficialLoop(): Promise<OfficialModule> {
  const path: string = '../official-client/official-loop.js';
  return import(path) as Promise<OfficialModule>;
}

interface OfficialModule {
  readonly createOfficialLoop: (kubeconfig: string) => Loop;
}

const [subject, taskName] = process.argv.slice(2) as [SubjectName, TaskName];
const createLoop = await importLoop(subject);
const task: Task<unknown> = TASKS[taskName]();
const passes = new ReconcileCount();

serveCalls<SubjectCalls<TaskName>>({
  start(kubeconfig) {
    const loop = createLoop(kubeconfig);
    return loop.start(async key => {
      await task.reconcile(loop, key);
      passes.add();
    });
  },
  passed: count => passes.reached(count),
  figures: async () => task.figures() as never,
  memory: measureMemory,
  async processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
});
