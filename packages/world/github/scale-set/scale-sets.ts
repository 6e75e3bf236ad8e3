import { type Scope, scopePath } from '../accounts.ts';
import type { Forge } from '../forge.ts';
import type { Runner } from '../runners/runner.ts';
import { Assignments } from './assignments.ts';
import type { ScaleSetHabits } from './habits.ts';
import { MessageSession } from './message-session.ts';
import type { ScaleSet, ScaleSetLabel } from './scale-set.ts';
import { ServiceError, setNotFound } from './service-error.ts';
import { noStatistics, type Statistics, statisticsOf } from './statistics.ts';

export interface NewScaleSet {
  readonly name: string;
  readonly groupId: number;
  readonly labels?: readonly ScaleSetLabel[];
  readonly disableUpdate?: boolean;
}

type Parts = Pick<Forge, 'around' | 'timers' | 'runners' | 'jobs'>;

/** The scale sets of every organization and their sessions: at most one each. */
export class ScaleSets {
  readonly habits: ScaleSetHabits;
  readonly assignments: Assignments;
  readonly #parts: Parts;
  readonly #sets = new Map<number, ScaleSet>();
  readonly #sessions = new Map<number, MessageSession>();
  #nextId = 1;

  constructor(parts: Parts, habits: ScaleSetHabits, offer: () => void) {
    this.#parts = parts;
    this.habits = habits;
    this.assignments = new Assignments({ ...parts, habits, offer, sessions: () => [...this.#sessions.values()] });
  }

  list(scope: Scope): readonly ScaleSet[] {
    return [...this.#sets.values()].filter(set => scopePath(set.scope) === scopePath(scope));
  }

  find(scope: Scope, id: number): ScaleSet {
    const set = this.list(scope).find(each => each.id === id);
    if (!set) throw setNotFound(id);
    return set;
  }

  create(scope: Scope, wanted: NewScaleSet): ScaleSet {
    const { name, groupId, labels = [], disableUpdate = false } = wanted;
    if (this.list(scope).some(set => set.groupId === groupId && set.name === name)) {
      throw new ServiceError(409, 'RunnerScaleSetExistsException', `Runner scale set ${name} already exists.`);
    }
    const set: ScaleSet = {
      id: this.#nextId++,
      scope,
      createdAt: this.#parts.around.clock.now(),
      name,
      groupId,
      // Without labels its name is the one `runs-on` says.
      labels: labels.length > 0 ? labels.map(label => ({ ...label, type: label.type || 'System' })) : [system(name)],
      disableUpdate,
    };
    this.#sets.set(set.id, set);
    this.#parts.around.journal.add('github', 'scale set', `${name} with ${scopePath(scope)}`);
    return set;
  }

  /** Also what the service does by itself to a set that is idle for a week. */
  remove(set: ScaleSet): void {
    if (this.assignments.of(set).some(each => each.state === 'running')) {
      throw new ServiceError(
        400,
        'RunnerScaleSetJobsRunningException',
        `Runner scale set ${set.name} has running jobs.`,
      );
    }
    this.#sets.delete(set.id);
    this.#end(set);
    this.assignments.release(set);
  }

  runnersOf(set: ScaleSet): readonly Runner[] {
    return this.#parts.runners.all.filter(runner => runner.scaleSetId === set.id);
  }

  statistics(set: ScaleSet): Statistics {
    if (this.habits.oddities.has('zero statistics')) return noStatistics;
    return statisticsOf(this.assignments.of(set), this.runnersOf(set));
  }

  openSession(set: ScaleSet, owner: string): MessageSession {
    const old = this.#sessions.get(set.id);
    if (old) {
      const text = `The runner scale set ${set.name} already has an active session for owner ${old.owner}.`;
      throw new ServiceError(409, 'RunnerScaleSetSessionConflictException', text);
    }
    const session = new MessageSession(this.#parts.around.chance.uuid(), owner, set);
    this.#sessions.set(set.id, session);
    this.seen(session);
    return session;
  }

  findSession(id: string): MessageSession | undefined {
    return [...this.#sessions.values()].find(session => session.id === id);
  }

  closeSession(session: MessageSession): void {
    this.#end(session.set);
  }

  /** The owner was heard of: the session is held for a while from now on. */
  seen(session: MessageSession): void {
    session.lapse?.cancel();
    session.lapse = this.#parts.timers.after(this.habits.sessionLapse, () => {
      if (session.polled) this.seen(session);
      else this.#end(session.set);
    });
  }

  #end(set: ScaleSet): void {
    this.#sessions.get(set.id)?.end();
    this.#sessions.delete(set.id);
  }
}

const system = (name: string): ScaleSetLabel => ({ type: 'System', name });
