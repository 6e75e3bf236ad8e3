/** Small real steps for tests of the engine: each keeps one file. */
import { minutes } from '@minifleet/clock';
import { current, type Disturbance, defineStep, drift, type PlannedStep, planStep, type Settle } from '../step.ts';

interface FileWant {
  readonly path: string;
  readonly content: string;
}

interface FileStepOptions {
  readonly disturbs?: Disturbance;
  readonly settle?: Settle;
}

/** A file with a content: one command to see it, one to write it. */
export const fileStep = (id: string, want: FileWant, options: FileStepOptions = {}): PlannedStep =>
  planStep(
    defineStep<FileWant>({
      id,
      title: `the file ${want.path}`,
      disturbs: options.disturbs ?? 'nothing',
      timeout: minutes(1),
      ...(options.settle ? { settle: options.settle } : {}),
      async inspect(host, { path, content }) {
        const found = await host.readText(path);
        if (found === content) return current();
        return drift(found === undefined ? `${path} is not there` : `${path} has other content`);
      },
      async change(host, { path, content }) {
        await host.writeFile({ path, mode: 0o644, owner: 'root:wheel' }, content);
        return [`${path} was written`];
      },
    }),
    want,
  );

export const fileNamed = (name: string): FileWant => ({ path: `/etc/minifleet-${name}`, content: `${name}\n` });

/** One file step per name, in order. */
export const fileSteps = (...names: readonly string[]): PlannedStep[] =>
  names.map(name => fileStep(name, fileNamed(name)));

/** A step with the given overrides (default: in sync). */
export const anyStep = (id: string, given: Partial<PlannedStep> = {}): PlannedStep => ({
  id,
  title: id,
  disturbs: 'nothing',
  needsReboot: false,
  timeout: minutes(1),
  settle: undefined,
  want: 'anything',
  identity: given.want ?? 'anything',
  inspect: async () => current(),
  change: async () => [],
  ...given,
});
