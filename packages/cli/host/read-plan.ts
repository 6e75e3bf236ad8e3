import { createPlan, type HostSpec, hostPlan, type Plan, type Secret } from '@minifleet/host';
import { readSpecFile } from '@minifleet/spec-file';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { type HostRequest, userOf } from './host-request.ts';
import { readPassword } from './read-password.ts';

/** What is wanted of the host, from its spec file. Without one nothing is: an empty wish would take things off the host. */
export async function readPlan(request: HostRequest, context: CliContext): Promise<Plan> {
  const { file, name } = request;
  if (file === undefined) {
    throw new UsageError('say what is wanted of the host: -f <spec file> (docs/hosts.md has one to start from)');
  }
  const password = await givenPassword(request, context);
  return hostPlan(await readSpecFile(file, { name, user: userOf(request), password }));
}

/** The part of a plan that was asked for. */
export function onlySteps(plan: Plan, only: readonly string[] | undefined): Plan {
  if (only === undefined) return plan;
  const ids = plan.steps.map(({ id }) => id);
  const unknown = only.find(id => !ids.includes(id));
  if (unknown !== undefined) throw new UsageError(`there is no step ${unknown}; there are ${ids.join(', ')}`);
  return createPlan(plan.steps.filter(({ id }) => only.includes(id)));
}

/** Steps every host has, whatever else is wanted of it: what makes a Mac usable by us at all. */
export const BASE_STEPS = ['sudo', 'auto-login', 'never-sleep'] as const;

/** The plan of a host about which nothing else is known. */
export function basePlan(user: string, password?: Secret): Plan {
  const spec: HostSpec = { fleet: {}, host: { name: 'unnamed', user, ...(password && { password }) } };
  return onlySteps(hostPlan(spec), BASE_STEPS);
}

const givenPassword = async ({ passwordFile }: HostRequest, context: CliContext): Promise<Secret | undefined> =>
  passwordFile === undefined ? undefined : readPassword(passwordFile, context);
