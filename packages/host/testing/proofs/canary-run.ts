import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor, Secret } from '@minifleet/secret';
import type { FaultPlan } from '@minifleet/world';
import { converge } from '../../engine/converge.ts';
import type { Plan } from '../../engine/plan.ts';
import { openHost } from '../../open-host.ts';
import { hostPlan } from '../../plan/host-plan.ts';
import { fullHost, fullSpec } from '../../plan/testing/full-spec.ts';
import { encodePassword } from '../../steps/auto-login/password.ts';
import { type Canary, createCanary, type Planted, unique } from '../canary/canary.ts';
import { type Sabotage, sabotaged, sabotages } from '../canary/sabotage.ts';
import { searchFiles, searchHistory, searchValue } from '../canary/traces.ts';
import { passTime, type TestHost } from '../test-host.ts';

const PASSWORD = `it's "${unique('password')}"`;
const TOKEN = `AA${unique('runner token').toUpperCase()}`;
const BEARER = unique('bearer token');
const KEY_LINE = unique('client key');
const KEY_DATA = Buffer.from(`-----BEGIN EC PRIVATE KEY-----\n${KEY_LINE}\n`).toString('base64');
const KUBECONFIG = `apiVersion: v1
kind: Config
users:
- name: node
  user:
    token: ${BEARER}
    client-key-data: ${KEY_DATA}
`;

/** All secrets that must not leak, including parts of secrets and the password in the format of the login window. */
export const PLANTED: readonly Planted[] = [
  { name: 'password', value: PASSWORD },
  // The quotes in the password split it when a shell quotes it, so its unique part is searched for separately.
  { name: 'password, in any quoting', value: unique('password') },
  { name: 'password in kcpassword', value: encodePassword(PASSWORD) },
  { name: 'runner token', value: TOKEN },
  { name: 'kubeconfig', value: KUBECONFIG },
  { name: 'bearer token of the kubeconfig', value: BEARER },
  { name: 'client key of the kubeconfig', value: KEY_DATA },
  { name: 'client key of the kubeconfig, decoded', value: KEY_LINE },
];

/** Secrets that a failing command prints: all except the kcpassword format, which it only receives on standard input. */
const PRINTED_SECRETS = [PASSWORD, TOKEN, KUBECONFIG, BEARER, KEY_DATA, KEY_LINE];

const canaryPlan: Plan = hostPlan({
  ...fullSpec,
  host: {
    ...fullSpec.host,
    password: new Secret('password', PASSWORD),
    kubeconfig: new Secret('kubeconfig', KUBECONFIG),
    runnerToken: new Secret('runner token', TOKEN),
  },
});

/** One failure during a run of the whole plan. */
export type Provocation =
  | { readonly kind: 'command'; readonly number: number; readonly how: Sabotage }
  | { readonly kind: 'file write' | 'process'; readonly detail: string; readonly message: string };

interface CanaryRun {
  readonly canary: Canary;
  readonly provoked: readonly string[];
}

interface CanaryOptions {
  readonly plan?: Plan;
  /** Selects failures (default: all). */
  readonly choose?: (provocation: Provocation, index: number) => boolean;
}

const FILE_ERRORS = ['ENOSPC', 'EROFS', 'EIO'];

/** Provokes every failure, each on a fresh Mac, and searches all results. */
export async function runCanary({ plan = canaryPlan, choose = () => true }: CanaryOptions = {}): Promise<CanaryRun> {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-canary-'));
  const makeHost = (): TestHost => fullHost(folder, { password: PASSWORD, token: TOKEN });
  const canary = createCanary(PLANTED);
  const provoked: string[] = [];
  try {
    const all = await provocations(makeHost, plan);
    for (const provocation of all.filter(choose)) {
      provoked.push(describe(provocation));
      await provoke(makeHost(), plan, { provocation, canary });
    }
    return { canary, provoked };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const describe = (provocation: Provocation): string =>
  provocation.kind === 'command' ? `command: ${provocation.how}` : `${provocation.kind}: ${provocation.message}`;

/** All possible failures, recorded from a run without failures. */
async function provocations(makeHost: () => TestHost, plan: Plan): Promise<Provocation[]> {
  const given = makeHost();
  const points = recordFaultPoints(given.faults);
  let commands = 0;
  await call(given, plan, { number: 0, how: 'fails', onCommand: () => (commands += 1) });
  return [
    ...Array.from({ length: commands }, (_, index) => index + 1).flatMap(number =>
      sabotages.map(how => ({ kind: 'command', number, how }) as const),
    ),
    ...[...points.written].flatMap(detail =>
      FILE_ERRORS.map(message => ({ kind: 'file write', detail, message }) as const),
    ),
    ...[...points.started].map(detail => ({ kind: 'process', detail, message: 'start failed' }) as const),
  ];
}

/** Files to be written and programs to be started, recorded where the world checks for faults. */
function recordFaultPoints(faults: FaultPlan): { readonly written: Set<string>; readonly started: Set<string> } {
  const written = new Set<string>();
  const started = new Set<string>();
  const strike = faults.strike.bind(faults);
  faults.strike = point => {
    if (point.kind === 'file write') written.add(point.detail.replace(BESIDE, ''));
    if (point.kind === 'process') started.add(point.detail.split(' ').slice(0, 2).join(' '));
    return strike(point);
  };
  return { written, started };
}

/** Temporary files next to a target have a new name each time. */
const BESIDE = /(?<=\.minifleet-part|\/part|\.plist)\.\w{6}$/;

interface CanaryCall {
  readonly number: number;
  readonly how: Sabotage;
  readonly onCommand?: () => void;
  readonly onEntry?: (entry: unknown) => void;
}

function call(given: TestHost, plan: Plan, { number, how, onCommand, onEntry }: CanaryCall) {
  const { clock, faults, host } = given;
  // A new caller has its own redactor, which gets the secrets from the plan.
  const redactor = createRedactor();
  const sabotage = { faults, clock, command: number, how, secrets: PRINTED_SECRETS, ...(onCommand && { onCommand }) };
  const transport = sabotaged({ transport: given.transport, ...sabotage });
  const options = { holder: 'a test', allow: 'running VMs', reboot: 'when needed', redactor, onEntry } as const;
  return passTime(clock, converge(openHost({ transport, user: host.user, clock, redactor }), plan, options));
}

async function provoke(
  given: TestHost,
  plan: Plan,
  { provocation, canary }: { readonly provocation: Provocation; readonly canary: Canary },
): Promise<void> {
  const where = `${describe(provocation)}${provocation.kind === 'command' ? ` ${provocation.number}` : ` ${provocation.detail}`}`;
  const { kind } = provocation;
  if (kind !== 'command') {
    const fault = { type: 'fail', code: 1, message: provocation.message } as const;
    given.faults.add({ kind, detail: new RegExp(`^${RegExp.escape(provocation.detail)}`), fault });
  }
  const failure = kind === 'command' ? provocation : { number: 0, how: 'fails' as const };
  const onEntry = (entry: unknown): void => searchValue(canary, `journal (${where})`, entry);
  await call(given, plan, { ...failure, onEntry }).then(
    report => {
      searchValue(canary, `report (${where})`, report);
      searchValue(canary, `error (${where})`, report.error);
      for (const { id, error } of report.steps) if (error) searchValue(canary, `error of ${id} (${where})`, error);
    },
    (error: unknown) => searchValue(canary, `thrown (${where})`, error),
  );
  searchFiles(canary, given.mac);
  searchHistory(canary, given.mac);
}
