import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../../chance.ts';
import { createFaultPlan, type FaultPlan } from '../../faults/fault-plan.ts';
import { createJournal, type Journal } from '../../journal.ts';
import type { GithubOptions } from '../options.ts';
import { type Github, startGithub } from '../start-github.ts';

/** The App of every example: id, installation, and a key pair created once per process (a tenth of a second). */
export const APP_ID = 42;
export const INSTALLATION_ID = 4_242;

let pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;

export const appKeys = (): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } => {
  pair ??= generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return pair;
};

/** Returns the key as operators download it (`pkcs1`), or as other tools create it. */
export const appPem = (type: 'pkcs1' | 'pkcs8' = 'pkcs1'): string =>
  appKeys().privateKey.export({ type, format: 'pem' }).toString();

export interface ExampleGithub {
  readonly github: Github;
  readonly clock: FakeClock;
  readonly faults: FaultPlan;
  readonly journal: Journal;
}

type ExampleGithubOptions = Partial<Omit<GithubOptions, 'deps'>> & { readonly clock?: FakeClock };

/** Organization `acme` with `acme/app`, `acme/site` and a group `macs`; organization `other`, where no App is installed. */
export async function exampleGithub(test: TestContext, requested: ExampleGithubOptions = {}): Promise<ExampleGithub> {
  // Real clients sign with the current time, so the fake clock starts there.
  const { clock = fakeClock({ now: Date.now() }), ...options } = requested;
  const chance = createChance('github');
  const faults = createFaultPlan(chance.stream('faults'));
  const journal = createJournal(clock);
  const github = await startGithub({
    deps: { clock, chance, faults, journal },
    apps: [
      {
        id: APP_ID,
        key: appKeys().publicKey,
        installations: [
          {
            id: INSTALLATION_ID,
            account: 'acme',
            permissions: { organization_self_hosted_runners: 'write', administration: 'write', actions: 'write' },
          },
        ],
      },
    ],
    organizations: [
      { login: 'acme', repositories: ['app', 'site'], groups: [{ name: 'macs', repositories: ['app'] }] },
      { login: 'other', repositories: ['thing'] },
    ],
    ...options,
  });
  test.after(() => github.close());
  return { github, clock, faults, journal };
}
