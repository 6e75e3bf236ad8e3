import { authorizedKeyStep, createPlan, type HostSpec, hostPlan, type Plan, type Secret } from '@minifleet/host';
import { readSpecFile } from '@minifleet/spec-file';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { type HostRequest, userOf } from './host-request.ts';
import { readPassword } from './read-password.ts';

/** Reads the plan from the spec file. The file is required, because an empty spec would remove things from the host. */
export async function readPlan(request: HostRequest, context: CliContext): Promise<Plan> {
  const { file, name } = request;
  if (file === undefined) {
    throw new UsageError('no spec file; pass one with -f <spec file> (docs/hosts.md has an example)');
  }
  const password = await givenPassword(request, context);
  return hostPlan(await readSpecFile(file, { name, user: userOf(request), password }));
}

/** Returns the part of a plan that `--only` selects. */
export function onlySteps(plan: Plan, only: readonly string[] | undefined): Plan {
  if (only === undefined) return plan;
  const ids = plan.steps.map(({ id }) => id);
  const unknown = only.find(id => !ids.includes(id));
  if (unknown !== undefined) throw new UsageError(`unknown step ${unknown}; available steps: ${ids.join(', ')}`);
  return createPlan(plan.steps.filter(({ id }) => only.includes(id)));
}

/** Steps that every host needs, independent of its spec. */
const BASE_STEPS = ['sudo', 'auto-login', 'never-sleep'];

/** Secret and key of a host without a spec file. */
interface BaseSpec {
  readonly password?: Secret;
  readonly authorizedKey?: string;
}

/** Returns the plan of a host without a spec file. */
export function basePlan(user: string, given: BaseSpec = {}): Plan {
  const { password, authorizedKey: publicKey } = given;
  const spec: HostSpec = { fleet: {}, host: { name: 'unnamed', user, ...(password && { password }) } };
  const { steps } = onlySteps(hostPlan(spec), BASE_STEPS);
  return createPlan([...(publicKey ? [authorizedKeyStep({ user, publicKey })] : []), ...steps]);
}

const givenPassword = async ({ passwordFile }: HostRequest, context: CliContext): Promise<Secret | undefined> =>
  passwordFile === undefined ? undefined : readPassword(passwordFile, context);
