import { FORGE_GROUP_UNKNOWN, FORGE_RUNNER_EXISTS } from '../errors.ts';
import type { NewRunner } from '../forge.ts';
import type { Api } from './api.ts';
import { GITHUB, statusOf } from './judge-failure.ts';

/** `Default` has this id in every organisation. */
const DEFAULT_GROUP = 1;

/** Makes room for the name where only a runner that was left behind has it, and tries once more. */
export async function singleJobRunner(api: Api, account: string, wanted: NewRunner): ReturnType<Api['generate']> {
  const runner = { ...wanted, groupId: await groupId(api, account, wanted.group) };
  const taken = (cause?: unknown): Error =>
    FORGE_RUNNER_EXISTS({ forge: GITHUB, name: wanted.name, account }, { cause });
  try {
    return await api.generate(runner);
  } catch (failure) {
    if (statusOf(failure) !== 409) throw failure;
  }
  if (!(await makeRoom(api, wanted.name))) throw taken();
  return api.generate(runner).catch((failure: unknown) => {
    throw statusOf(failure) === 409 ? taken(failure) : failure;
  });
}

async function makeRoom(api: Api, name: string): Promise<boolean> {
  const [old] = await api.runners(name);
  if (!old) return true;
  if (old.busy || old.state === 'online') return false;
  return (await api.remove(old.id)) !== 'busy';
}

/** Nothing is remembered, for groups are renamed and made anew: one request more where a group is named. */
async function groupId(api: Api, account: string, group: string | undefined): Promise<number> {
  if (group === undefined) return DEFAULT_GROUP;
  const groups = await api.groups();
  const found = groups.find(({ name }) => name === group);
  if (found) return found.id;
  const known = groups.map(({ name }) => name).join(', ');
  throw FORGE_GROUP_UNKNOWN({ forge: GITHUB, group, account, known });
}
