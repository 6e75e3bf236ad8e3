import type { Secret } from '@minifleet/secret';

/**
 * Client of a service that hands out CI jobs, for one account. Each driver is a folder and passes `testing/forge.contract.ts`.
 * Failures are errors of `errors.ts`. A failed call may have taken effect.
 */
export interface Forge {
  /** `github`, for logs and metrics. */
  readonly name: string;
  /** Registration URL of runners: `https://github.com/<organisation>`. */
  readonly url: string;
  /** A new token for one registration, valid for about an hour. */
  registrationToken(options?: ForgeCallOptions): Promise<RegistrationToken>;
  /**
   * Registers an ephemeral runner and returns its JIT configuration. An offline runner of the same name is replaced: a call whose
   * response was lost left it behind. A runner that is online or busy is FORGE_RUNNER_EXISTS.
   */
  singleJobRunner(runner: NewRunner, options?: ForgeCallOptions): Promise<SingleJobRunner>;
  /** All runners of the account. Pages are not one snapshot: confirm by name before a runner counts as absent. */
  runners(options?: ForgeCallOptions): Promise<readonly Runner[]>;
  /** One runner by name; undefined only if the service confirmed that there is none. */
  runner(name: string, options?: ForgeCallOptions): Promise<Runner | undefined>;
  /** Removes a runner unless it is busy. This is the only atomic way to find out whether a runner has a job. */
  remove(id: number, options?: ForgeCallOptions): Promise<RunnerRemoval>;
  /** End of support of a version of the runner; undefined if the service does not know the version. */
  runnerVersion(version: string, options?: ForgeCallOptions): Promise<RunnerVersionSupport | undefined>;
}

export interface RunnerVersionSupport {
  /** Time from which runners of this version get no jobs, in milliseconds since 1970; undefined if none is announced. */
  readonly endsAt: number | undefined;
}

export type RunnerRemoval = 'removed' | 'absent' | 'busy';

export interface ForgeCallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface RegistrationToken {
  readonly token: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface NewRunner {
  readonly name: string;
  readonly labels: readonly string[];
  /** Runner group by name (default: the default group of the account). */
  readonly group?: string;
  /** Work folder inside the VM. */
  readonly workFolder?: string;
}

export interface SingleJobRunner {
  readonly id: number;
  /** JIT configuration; it contains the credentials of the runner. */
  readonly configuration: Secret;
}

export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly labels: readonly string[];
  readonly state: 'online' | 'offline';
  readonly busy: boolean;
  /** Ephemeral: unregisters itself after one job. */
  readonly singleJob: boolean;
  /** Version of the runner, which it reports when it comes online. */
  readonly version?: string | undefined;
}

/** Opens the client for the credentials that an object names. */
export interface Resolver {
  /** Sends no request. Equal credentials return the same client. FORGE_CREDENTIALS_… names every missing or invalid field. */
  resolve(reference: ForgeReference): Promise<Forge>;
  /** `Forge.url` of an organisation; needs no credentials. */
  url(account: string): string;
}

export interface ForgeReference {
  /** The organisation. */
  readonly account: string;
  /** Source of the credentials, for errors: `Secret builders/github-app`. */
  readonly place: string;
  readonly fields: Readonly<Record<string, Uint8Array>>;
}
