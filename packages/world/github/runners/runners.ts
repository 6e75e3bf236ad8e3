import type { Timer } from '@minifleet/clock';
import type { WorldDeps } from '../../world-deps.ts';
import { type Scope, scopePath } from '../accounts.ts';
import type { Timers } from '../github-state.ts';
import type { GithubBehaviour } from '../options.ts';
import { busy, type Label, labelsOf, type Runner } from './runner.ts';

export interface NewRunner {
  readonly scope: Scope;
  readonly name: string;
  readonly groupId: number;
  readonly labels: readonly string[];
  readonly ephemeral: boolean;
  readonly workFolder?: string;
  readonly os?: string;
  readonly version?: string;
  readonly scaleSetId?: number;
}

interface RunnersDeps {
  readonly world: WorldDeps;
  readonly behaviour: GithubBehaviour;
  readonly timers: Timers;
}

/** The registered runners. A runner that stays offline is removed after some time. */
export class Runners {
  readonly #deps: RunnersDeps;
  readonly #runners = new Map<number, Runner>();
  readonly #countdowns = new Map<number, Timer>();
  readonly #listeners: ((runner: Runner) => void)[] = [];
  #nextId = 1;

  constructor(deps: RunnersDeps) {
    this.#deps = deps;
  }

  get all(): readonly Runner[] {
    return [...this.#runners.values()];
  }

  inScope(scope: Scope): readonly Runner[] {
    return this.all.filter(runner => scopePath(runner.scope) === scopePath(scope));
  }

  find(scope: Scope, id: number): Runner | undefined {
    return this.inScope(scope).find(runner => runner.id === id);
  }

  findByName(scope: Scope, name: string): Runner | undefined {
    return this.inScope(scope).find(runner => runner.name.toLowerCase() === name.toLowerCase());
  }

  findByClient(clientId: string): Runner | undefined {
    return this.all.find(runner => runner.clientId === clientId);
  }

  /** The name must not be taken. */
  add(requested: NewRunner): Runner {
    return this.#keep(this.#nextId++, requested);
  }

  /** Simulates `config.sh --replace`: the same id with new credentials and labels. The old credentials become invalid. */
  replace(old: Runner, by: NewRunner): Runner {
    this.#forget(old, 'replaced');
    return this.#keep(old.id, by);
  }

  /** Returns false while the runner is busy. */
  remove(runner: Runner): boolean {
    if (busy(runner)) return false;
    this.#forget(runner, 'removed');
    return true;
  }

  markOnline(runner: Runner): void {
    runner.online = true;
    this.#countdowns.get(runner.id)?.cancel();
  }

  /** Starts the countdown to the removal of the runner. */
  markOffline(runner: Runner): void {
    runner.online = false;
    if (this.#runners.get(runner.id) === runner) this.#countDown(runner);
  }

  relabel(runner: Runner, custom: readonly string[]): readonly Label[] {
    const fixed = runner.labels.filter(label => label.type === 'read-only').map(label => label.name);
    runner.labels = labelsOf([...fixed, ...custom]);
    return runner.labels;
  }

  /** Calls back when a runner is no longer registered, for any reason. */
  onGone(listener: (runner: Runner) => void): void {
    this.#listeners.push(listener);
  }

  #keep(id: number, requested: NewRunner): Runner {
    const { journal, chance } = this.#deps.world;
    const runner: Runner = {
      id,
      name: requested.name,
      scope: requested.scope,
      groupId: requested.groupId,
      ephemeral: requested.ephemeral,
      scaleSetId: requested.scaleSetId,
      workFolder: requested.workFolder ?? '_work',
      labels: labelsOf(requested.labels),
      clientId: chance.uuid(),
      os: requested.os ?? 'unknown',
      version: requested.version,
      online: false,
      job: undefined,
      leaving: false,
    };
    this.#runners.set(id, runner);
    this.#countDown(runner);
    journal.add('github', 'runner registered', `${runner.name} with ${scopePath(runner.scope)}`);
    return runner;
  }

  #forget(runner: Runner, why: string): void {
    if (this.#runners.get(runner.id) !== runner) return;
    this.#runners.delete(runner.id);
    this.#countdowns.get(runner.id)?.cancel();
    this.#countdowns.delete(runner.id);
    this.#deps.world.journal.add('github', 'runner gone', `${runner.name}: ${why}`);
    for (const listener of this.#listeners) listener(runner);
  }

  #countDown(runner: Runner): void {
    const { behaviour, timers } = this.#deps;
    this.#countdowns.get(runner.id)?.cancel();
    const limit = runner.ephemeral ? behaviour.ephemeralOfflineLimit : behaviour.offlineLimit;
    this.#countdowns.set(
      runner.id,
      timers.after(limit, () => this.#forget(runner, 'offline for too long')),
    );
  }
}
