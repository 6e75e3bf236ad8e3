import { type Scope, scopePath } from '../accounts.ts';
import type { GithubState } from '../github-state.ts';
import { GithubApiError } from '../rest/github-api-error.ts';
import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import type { Runner } from '../runners/runner.ts';
import { Assignments } from './assignments.ts';
import type { ScaleSetBehaviour } from './behaviour.ts';
import { MessageSession } from './message-session.ts';
import {
  noStatistics,
  type ScaleSet,
  type ScaleSetLabel,
  ServiceError,
  type Statistics,
  setNotFound,
  statisticsOf,
} from './scale-set.ts';

interface NewScaleSet {
  readonly name: string;
  readonly groupId: number;
  readonly labels?: readonly ScaleSetLabel[];
  readonly disableUpdate?: boolean;
}

type ScaleSetsDeps = Pick<GithubState, 'world' | 'timers' | 'runners' | 'jobs'>;

/** The scale sets of every organization and their sessions: at most one each. */
export class ScaleSets {
  readonly behaviour: ScaleSetBehaviour;
  readonly assignments: Assignments;
  readonly #deps: ScaleSetsDeps;
  readonly #sets = new Map<number, ScaleSet>();
  readonly #sessions = new Map<number, MessageSession>();
  #nextId = 1;

  constructor(deps: ScaleSetsDeps, behaviour: ScaleSetBehaviour, offer: () => void) {
    this.#deps = deps;
    this.behaviour = behaviour;
    this.assignments = new Assignments({ ...deps, behaviour, offer, sessions: () => [...this.#sessions.values()] });
  }

  list(scope: Scope): readonly ScaleSet[] {
    return [...this.#sets.values()].filter(set => scopePath(set.scope) === scopePath(scope));
  }

  find(scope: Scope, id: number): ScaleSet {
    const set = this.list(scope).find(each => each.id === id);
    if (!set) throw setNotFound(id);
    return set;
  }

  create(scope: Scope, requested: NewScaleSet): ScaleSet {
    const { name, groupId, labels = [], disableUpdate = false } = requested;
    if (this.list(scope).some(set => set.groupId === groupId && set.name === name)) {
      throw new ServiceError(409, 'RunnerScaleSetExistsException', `Runner scale set ${name} already exists.`);
    }
    const set: ScaleSet = {
      id: this.#nextId++,
      scope,
      createdAt: this.#deps.world.clock.now(),
      name,
      groupId,
      // Without labels, the set's name is its label for `runs-on`.
      labels: labels.length > 0 ? labels.map(label => ({ ...label, type: label.type || 'System' })) : [system(name)],
      disableUpdate,
    };
    this.#sets.set(set.id, set);
    this.#deps.world.journal.add('github', 'scale set', `${name} with ${scopePath(scope)}`);
    return set;
  }

  /** The service also does this itself to a set that is idle for a week. */
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
    return this.#deps.runners.all.filter(runner => runner.scaleSetId === set.id);
  }

  statistics(set: ScaleSet): Statistics {
    if (this.behaviour.quirks.has('zero statistics')) return noStatistics;
    return statisticsOf(this.assignments.of(set), this.runnersOf(set));
  }

  openSession(set: ScaleSet, owner: string): MessageSession {
    const old = this.#sessions.get(set.id);
    if (old) {
      const text = `The runner scale set ${set.name} already has an active session for owner ${old.owner}.`;
      throw new ServiceError(409, 'RunnerScaleSetSessionConflictException', text);
    }
    const session = new MessageSession(this.#deps.world.chance.uuid(), owner, set);
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

  /** Called on every sign of life of the owner: postpones the end of the session. */
  seen(session: MessageSession): void {
    session.lapse?.cancel();
    session.lapse = this.#deps.timers.after(this.behaviour.sessionLapse, () => {
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

/** Path prefix that the exchange of a registration token returns. It is invented, because clients never construct the real one. */
export const TENANT = '/_world/actions/{tenant}';

const bearer = ({ authorization }: GithubCall): string => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
const unauthorized = (): GithubApiError => new GithubApiError(401, 'Unauthorized');

/** Returns the organization or repository of the admin token. */
export function adminScope(call: GithubCall): Scope {
  const grant = call.forge.tokens.find('admin', bearer(call));
  if (!grant) throw unauthorized();
  return grant.scope;
}

/** Returns the session of the queue token: 401 for an expired token, 404 for an ended session. */
export function queueSession(sets: ScaleSets, call: GithubCall): MessageSession {
  const grant = call.forge.tokens.find('queue', bearer(call));
  if (!grant) throw unauthorized();
  const session = sets.findSession(grant.sessionId);
  if (!session) throw new GithubApiError(404, 'The session does not exist.');
  return session;
}

export const internalRoute = (
  method: GithubRoute['method'],
  path: string,
  answer: GithubRoute['answer'],
): GithubRoute => ({
  method,
  path,
  as: 'anyone',
  beside: true,
  answer,
});

/** Returns JSON, with a byte order mark if that quirk is enabled. */
export function jsonResponse(sets: ScaleSets, body: unknown): GithubResponse {
  const mark = sets.behaviour.quirks.has('byte order mark') ? '\ufeff' : '';
  return { status: 200, text: mark + JSON.stringify(body) };
}
