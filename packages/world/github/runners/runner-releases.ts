import type { Clock } from '@minifleet/clock';

/** Versions of actions/runner as GitHub treats them. */
export interface RunnerReleaseOptions {
  /** Lowest version that may register. */
  readonly floor: string;
  /** Known versions with the time from which they get no jobs; undefined while GitHub has announced none. */
  readonly deadlines: Readonly<Record<string, number | undefined>>;
}

/**
 * The floor is GitHub's of 2026. The deadlines are what GitHub's endpoint returned on 2026-09-29 for 2.336.0 and older
 * (actions/runner issues and rest-api-description#7162): 60 to 70 days after the next release, and never promised.
 */
export const defaultRunnerReleases: RunnerReleaseOptions = {
  floor: '2.329.0',
  deadlines: {
    '2.334.0': Date.UTC(2026, 7, 10),
    '2.335.1': Date.UTC(2026, 8, 24),
    '2.336.0': Date.UTC(2026, 10, 5, 8, 4, 55),
    '2.338.0': undefined,
  },
};

export const OUTDATED_REGISTRATION = 'Your runner version is out of date and can no longer register with GitHub.';
export const deprecatedVersion = (version: string): string =>
  `Runner version v${version} is deprecated and cannot receive messages.`;

/** Decides which runner versions may register and poll. A version that is not listed may poll. */
export class RunnerReleases {
  /**
   * Calls every version deprecated, also the newest: GitHub did so for hours during outages (actions/runner#4613,
   * #3381, #3405). The endpoint still returns the true deadlines.
   */
  falseAlarm = false;
  readonly #clock: Clock;
  readonly #floor: string;
  readonly #deadlines: Map<string, number | undefined>;

  constructor(clock: Clock, { floor, deadlines }: RunnerReleaseOptions) {
    this.#clock = clock;
    this.#floor = floor;
    this.#deadlines = new Map(Object.entries(deadlines));
  }

  /** Announces a version, or changes its deadline (milliseconds since 1970). */
  announce(version: string, deadline?: number): void {
    this.#deadlines.set(version, deadline);
  }

  /** A registration that does not report its version is accepted: JIT configurations are issued without one. */
  mayRegister(version: string | undefined): boolean {
    return version === undefined || compareVersions(version, this.#floor) >= 0;
  }

  mayPoll(version: string | undefined): boolean {
    if (version === undefined) return true;
    return !this.falseAlarm && this.#clock.now() < (this.#deadlines.get(version) ?? Infinity);
  }

  /** Answer of GitHub's endpoint; undefined for an unknown version. */
  deprecation(version: string): { readonly deadline: number | undefined } | undefined {
    return this.#deadlines.has(version) ? { deadline: this.#deadlines.get(version) } : undefined;
  }
}

/** Compares dotted numbers, all parts of which GitHub counts. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map(text => text.split('.').map(Number));
  for (let index = 0; index < 3; index++) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
