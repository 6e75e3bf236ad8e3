import type { Secret } from '@minifleet/secret';

/**
 * Who gives jobs. A driver is a folder with a function that gives one of these for one account there; `testing/forge.contract.ts`
 * is what every driver passes. Whatever goes wrong is an error of `errors.ts`; a call that failed may still have had its effect.
 */
export interface Forge {
  /** `github`: in logs and metrics. */
  readonly name: string;
  /** Where runners register: `https://github.com/<organisation>`. */
  readonly url: string;
  /** A token to register one runner with: fresh each time, good for about an hour. */
  registrationToken(options?: CallOptions): Promise<ShortLived>;
  /**
   * A runner that takes one job and is gone, with everything it needs to start. An offline runner of the same name makes room:
   * it was left behind by a call whose answer was lost. One that is online or has a job is FORGE_RUNNER_EXISTS.
   */
  singleJobRunner(runner: NewRunner, options?: CallOptions): Promise<SingleJobRunner>;
  /** All of the account. A long list is read in pages while runners come and go: look by name before one counts as absent. */
  runners(options?: CallOptions): Promise<readonly Runner[]>;
  /** By its name; undefined when the forge is sure that there is none. */
  runner(name: string, options?: CallOptions): Promise<Runner | undefined>;
  /** The one atomic question whether a runner has a job: a busy one is refused, and stays. */
  remove(id: number, options?: CallOptions): Promise<Removal>;
}

export type Removal = 'removed' | 'absent' | 'busy';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ShortLived {
  readonly token: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface NewRunner {
  readonly name: string;
  readonly labels: readonly string[];
  /** Of runners, by its name; the default one unless said. */
  readonly group?: string;
  /** Where it works, inside its VM. */
  readonly workFolder?: string;
}

export interface SingleJobRunner {
  readonly id: number;
  /** What the runner is started with; it holds its credentials. */
  readonly configuration: Secret;
}

export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly labels: readonly string[];
  readonly state: 'online' | 'offline';
  readonly busy: boolean;
  /** Gone by itself after its one job. */
  readonly singleJob: boolean;
}

/** Finds the forge that an object names by its credentials. Another forge is another resolver, and no edit elsewhere. */
export interface Resolver {
  /** Sends nothing. The same credentials give the same forge; FORGE_CREDENTIALS_… names every field that is missing or wrong. */
  resolve(reference: ForgeReference): Promise<Forge>;
  /** `url` of the forge of that organisation: it takes no credentials to know. */
  url(account: string): string;
}

export interface ForgeReference {
  /** The organisation. */
  readonly account: string;
  /** Where its credentials are, for errors: `Secret builders/github-app`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, Uint8Array>>;
}
