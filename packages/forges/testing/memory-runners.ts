import type { Runner, RunnerRemoval } from '../forge.ts';

/** The runners of an account in memory, and what happens to them on their hosts. */
export interface MemoryRunners {
  /** Current runners of the forge. */
  readonly all: () => readonly Runner[];
  /** Throws unless there is one. */
  readonly find: (name: string) => Runner;
  /** Adds a runner (default: online and idle), or changes the state of the runner of that name. */
  readonly put: (runner: Partial<Runner> & Pick<Runner, 'name'>) => Runner;
  /** Its process answers, or no longer does. */
  readonly connect: (name: string) => void;
  readonly disconnect: (name: string) => void;
  readonly takeJob: (name: string) => void;
  /** A runner for a single job is gone with it. */
  readonly finishJob: (name: string) => void;
  /** The forge forgets it, as it does after a time without a sign of life. */
  readonly forget: (name: string) => void;
}

export interface MemoryRunnersInside extends MemoryRunners {
  readonly named: (name: string) => Runner | undefined;
  readonly remove: (id: number) => RunnerRemoval;
}

export function createMemoryRunners(first: readonly (Partial<Runner> & Pick<Runner, 'name'>)[]): MemoryRunnersInside {
  const runners = new Map<string, Runner>();
  let made = 0;
  const named = (name: string): Runner | undefined => runners.get(name);

  function find(name: string): Runner {
    const runner = named(name);
    if (!runner) throw new Error(`no runner is called ${name}`);
    return runner;
  }

  function put(said: Partial<Runner> & Pick<Runner, 'name'>): Runner {
    const fresh = { labels: ['self-hosted'], state: 'online', busy: false, singleJob: false } as const;
    const runner: Runner = { ...(named(said.name) ?? { id: ++made, ...fresh }), ...said };
    runners.set(runner.name, runner);
    return runner;
  }

  const change = (name: string, to: Partial<Runner>): void => void put({ ...find(name), ...to });

  for (const runner of first) put(runner);

  return {
    all: () => [...runners.values()],
    named,
    find,
    put,
    connect: name => change(name, { state: 'online' }),
    disconnect: name => change(name, { state: 'offline' }),
    takeJob: name => change(name, { busy: true }),
    finishJob: name => {
      change(name, { busy: false });
      if (find(name).singleJob) runners.delete(name);
    },
    forget: name => void runners.delete(name),
    remove: id => {
      const runner = [...runners.values()].find(each => each.id === id);
      if (!runner) return 'absent';
      if (runner.busy) return 'busy';
      runners.delete(runner.name);
      return 'removed';
    },
  };
}
