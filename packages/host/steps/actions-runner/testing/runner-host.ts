import assert from 'node:assert/strict';
import { Secret } from '@minifleet/secret';
import { macParts, RUNNER_VERSION } from '@minifleet/world/mac';
import {
  builderOf,
  type ConnectionResult,
  m1,
  openGuiDomain,
  processesOf,
  type RegistrationRequest,
  runnerTarball,
} from '@minifleet/world/testing/mac';
import { type Finding, type PlannedStep, planStep } from '../../../engine/step.ts';
import type { Artifact } from '../../../host.ts';
import {
  type ConvergedStep,
  convergeStep,
  passTime,
  type TestHost,
  type TestHostOptions,
  testHost,
} from '../../../testing/index.ts';
import { type ActionsRunnerSettings, actionsRunner } from '../actions-runner.ts';
import { artifactOf } from './artifact.ts';

/** A Mac with someone logged in at the screen, and a forge that takes one token. */
export interface RunnerHost extends TestHost {
  readonly registered: RegistrationRequest[];
  /** `mini-01 online in aqua`, `mini-01 offline`. */
  readonly events: string[];
  /** Result for listeners from now on. */
  answer: ConnectionResult;
}

export const TOKEN = 'AAREGTOKENCANARY';

interface RunnerHostOptions {
  /** True if someone is logged in at the screen (default: true). */
  readonly session?: boolean;
  /** More parts of the Mac. */
  readonly parts?: NonNullable<TestHostOptions['parts']>;
}

export function runnerHost({ session = true, parts = [] }: RunnerHostOptions = {}): RunnerHost {
  const made = testHost({ parts: [...parts, ...macParts] });
  if (session) openGuiDomain(made.mac, m1, 150);
  const host: RunnerHost = { ...made, registered: [], events: [], answer: 'connected' };
  builderOf(made.mac).forge = {
    async register(registration) {
      if (registration.token !== TOKEN) return { status: 404, message: 'Not Found' };
      host.registered.push(registration);
      return { id: host.registered.length };
    },
    unregister: async () => undefined,
    connect: () => host.answer,
    online: ({ name, session: where }) => host.events.push(`${name} online in ${where}`),
    offline: ({ name }) => host.events.push(`${name} offline`),
  };
  return host;
}

export const archiveOf = (version = RUNNER_VERSION): Artifact & { readonly opened: number } =>
  artifactOf(`actions-runner-osx-arm64-${version}.tar.gz`, runnerTarball(version));

export const runnerWant = (changes: Partial<ActionsRunnerSettings> = {}): ActionsRunnerSettings => ({
  url: 'https://github.com/acme',
  name: 'mini-01',
  labels: ['bare-metal', 'vm-image-builder'],
  version: RUNNER_VERSION,
  archive: archiveOf(),
  token: new Secret('registration token', TOKEN),
  user: m1.name,
  ...changes,
});

/** A job as the process table shows it; returns how to end it. */
export function takeJob({ mac }: TestHost): () => void {
  const argv = ['/opt/actions-runner/bin/Runner.Worker', 'spawnclient', '111', '114'];
  const { pid } = processesOf(mac).start({ argv, user: m1, session: 'aqua' });
  return () => processesOf(mac).end(pid, { code: 0 });
}

/** Differences; empty if the step is current. */
export const differencesOf = (finding: Finding): readonly string[] =>
  'differences' in finding ? finding.differences : [];

export const converge = (made: TestHost, step: PlannedStep): Promise<ConvergedStep> =>
  passTime(made.clock, convergeStep(made.host, step));

/** One whose runner has been converged and listens. */
export async function runningHost(want = runnerWant()): Promise<RunnerHost> {
  const made = runnerHost();
  const { after } = await converge(made, planStep(actionsRunner, want));
  assert.equal(after.state, 'current');
  return made;
}
