import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import { milliseconds, seconds } from '@minifleet/clock';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createRedactor } from '@minifleet/secret';
import {
  createChance,
  createFaultPlan,
  createJournal,
  type FaultPlan,
  type Github,
  type Journal,
  startGithub,
} from '@minifleet/world';
import type { Forge, ForgeReference } from '../../forge.ts';
import type { ForgeBench } from '../../testing/contract/forge-bench.ts';
import type { CallName } from '../../testing/forge-call.ts';
import { type GithubResolverOptions, githubResolver } from '../github-resolver.ts';
import { hostsOf } from './hosts-of.ts';

/** The driver in front of the world’s GitHub; both have one clock, whose hands only the test moves. */
export interface GithubBench extends ForgeBench {
  readonly github: Github;
  readonly clock: FakeClock;
  readonly faults: FaultPlan;
  readonly journal: Journal;
  readonly reference: ForgeReference;
  /** Every request that was answered so far: `GET /orgs/… 200`. */
  readonly requests: () => readonly string[];
  /** Another driver on the same forge, as another process has it. */
  readonly open: (options?: Partial<GithubResolverOptions>, reference?: Partial<ForgeReference>) => Promise<Forge>;
}

export type WorldOptions = Partial<Omit<Parameters<typeof startGithub>[0], 'deps'>>;

/** Repeats come at once: tests need no politeness. */
const FAST_LIMITS = { retries: 1, firstRetryDelay: milliseconds(1), maxRateLimitWait: seconds(2) };

export const APP_ID = 42;
export const INSTALLATION_ID = 4_242;

/** Made once in a process, for it takes a tenth of a second. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const appPem = (type: 'pkcs1' | 'pkcs8'): string => privateKey.export({ type, format: 'pem' }).toString();

export const secretFields = (said: Readonly<Record<string, string>> = {}): ForgeReference['fields'] => {
  const all = {
    'app-id': String(APP_ID),
    'installation-id': String(INSTALLATION_ID),
    'private-key': appPem('pkcs1'),
    ...said,
  };
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, Buffer.from(text)]));
};

/** Request that performs each call. */
const REQUESTS: Readonly<Record<CallName, RegExp>> = {
  registrationToken: /^POST .*\/registration-token$/,
  singleJobRunner: /^POST .*\/generate-jitconfig$/,
  runners: /^GET .*\/runners$/,
  runner: /^GET .*\/runners$/,
  remove: /^DELETE .*\/runners\/\d+$/,
  runnerVersion: /^GET .*\/runners\/deprecations\/[\d.]+$/,
};

const FAULTS = {
  lost: { fault: { type: 'drop', when: 'after' }, times: 1 },
  down: { fault: { type: 'fail', code: 503, message: 'Service Unavailable' } },
  hang: { fault: { type: 'hang' } },
} as const;

export async function startGithubBench(options: WorldOptions = {}): Promise<GithubBench> {
  // Octokit signs with the time of day, so the hands start there.
  const clock = fakeClock({ now: Date.now() });
  const chance = createChance('github driver');
  const faults = createFaultPlan(chance.stream('faults'));
  const journal = createJournal(clock);
  const installations = [{ id: INSTALLATION_ID, account: 'acme' }];
  const github = await startGithub({
    apps: [{ id: APP_ID, key: publicKey, installations }],
    organizations: [{ login: 'acme', repositories: ['app'], groups: [{ name: 'macs' }] }, { login: 'other' }],
    ...options,
    deps: { clock, chance, faults, journal },
  });
  const minted = watchTokens(github);
  const observer = { onCall: () => undefined, redactor: createRedactor() };
  const reference = { account: 'acme', place: 'Secret builders/github-app', fields: secretFields() };
  const open: GithubBench['open'] = (said = {}, other = {}) =>
    githubResolver({ clock, observer, apiUrl: `${github.url}/api/v3`, limits: FAST_LIMITS, ...said }).resolve({
      ...reference,
      ...other,
    });
  return {
    ...hostsOf(github),
    github,
    clock,
    faults,
    journal,
    reference,
    open,
    forge: await open(),
    group: 'macs',
    now: () => clock.now(),
    strike: (call, fault) => faults.add({ kind: 'request', detail: REQUESTS[call], ...FAULTS[fault] }),
    heal: () => faults.clear(),
    requests: () => journal.entries.filter(({ what }) => what === 'request').map(({ detail }) => detail),
    secrets: () => [...minted, appPem('pkcs8').slice(100, 160), appPem('pkcs1').slice(100, 160)],
    async close() {
      await github.close();
      assert.deepEqual(journal.gaps, [], 'the driver relied on something the world does not model');
      assert.deepEqual(github.deviations, []);
    },
  };
}

/** A bench that closes with the test. */
export async function benchFor(t: TestContext, options?: WorldOptions): Promise<GithubBench> {
  const bench = await startGithubBench(options);
  t.after(() => bench.close());
  return bench;
}

/** Every token the forge gave out, as it does so. */
function watchTokens({ state: { tokens } }: Github): readonly string[] {
  const minted: string[] = [];
  const mint = tokens.mint.bind(tokens);
  tokens.mint = grant => {
    const made = mint(grant);
    minted.push(made.token);
    return made;
  };
  return minted;
}
