import type { Secret } from '@minifleet/secret';

/**
 * Who gives jobs. A driver is a folder with a function that gives one of these for one account there; `testing/forge.contract.ts`
 * is what every driver passes. Whatever goes wrong is an error of `errors.ts`; a call that failed may still have had its effect.
 */
export interface Forge {
  /** `github`: in logs and metrics. */
  readonly name: string;
  /** Where runners register: `https://github.com/<organization>`. */
  readonly url: string;
  /** A token to register one runner with: fresh each time, good for about an hour. */
  registrationToken(options?: CallOptions): Promise<ShortLived>;
  /** A runner that takes one job and is gone, with everything it needs to start. The name must be free. */
  singleJobRunner(runner: NewRunner, options?: CallOptions): Promise<SingleJobRunner>;
  runners(options?: CallOptions): Promise<readonly Runner[]>;
  /** By its name; undefined when there is none. */
  runner(name: string, options?: CallOptions): Promise<Runner | undefined>;
  /** The one atomic question whether a runner has a job: a busy one is refused, and stays. */
  remove(id: number, options?: CallOptions): Promise<'removed' | 'absent' | 'busy'>;
}

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
  /** `read` gives the fields of a Secret, or undefined when there is none; a missing field is named in the error. */
  resolve(reference: ForgeReference): Promise<Forge>;
}

export interface ForgeReference {
  /** The organisation. */
  readonly account: string;
  /** Where its credentials are, for errors: `Secret builders/github-app`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, Uint8Array>>;
}
