import type { Octokit } from 'octokit';
import { FORGE_GROUP_UNKNOWN, FORGE_RUNNER_EXISTS } from '../errors.ts';
import type { NewRunner, Removal, Runner } from '../forge.ts';
import { GITHUB, statusOf } from './judge-failure.ts';

const PER_PAGE = 100;
/** A repeat would meet the runner that the first one made. */
const ONCE = { retries: 0 };

export interface JitRunner extends Omit<NewRunner, 'group'> {
  readonly groupId: number;
}

/** The requests we make of one organisation. Reads, tokens and removals are repeated by Octokit; nothing else is. */
export interface Api {
  registrationToken(): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** All, or those of one name. */
  runners(name?: string): Promise<readonly Runner[]>;
  generate(runner: JitRunner): Promise<{ readonly id: number; readonly configuration: string }>;
  remove(id: number): Promise<Removal>;
  groups(): Promise<readonly Group[]>;
}

interface Group {
  readonly id: number;
  readonly name: string;
}

export function openApi(octokit: Octokit, org: string, signal: AbortSignal): Api {
  const { actions } = octokit.rest;
  const request = { signal };
  const runnersPage = (page: Page, name?: string) =>
    actions.listSelfHostedRunnersForOrg({ org, ...page, ...(name !== undefined && { name }), request });

  return {
    async registrationToken() {
      const { data } = await actions.createRegistrationTokenForOrg({ org, request });
      return { token: data.token, expiresAt: Date.parse(data.expires_at) };
    },
    async runners(name) {
      const all = await allPages(async page => (await runnersPage(page, name)).data.runners);
      // What moves up while pages are read is met twice; and not every server knows the question for a name.
      const byId = new Map(all.map(runner => [runner.id, readRunner(runner)]));
      return [...byId.values()].filter(runner => name === undefined || runner.name === name);
    },
    async generate({ name, labels, groupId, workFolder }) {
      const { data } = await actions.generateRunnerJitconfigForOrg({
        org,
        name,
        runner_group_id: groupId,
        labels: [...labels],
        ...(workFolder !== undefined && { work_folder: workFolder }),
        request: { ...request, ...ONCE },
      });
      return { id: data.runner.id, configuration: data.encoded_jit_config };
    },
    async remove(id) {
      try {
        await actions.deleteSelfHostedRunnerFromOrg({ org, runner_id: id, request });
        return 'removed';
      } catch (failure) {
        if (isBusy(failure)) return 'busy';
        if (statusOf(failure) !== 404) throw failure;
        // An organisation we may not see any more says the same: absent is who is missing where we can look.
        await runnersPage({ per_page: 1, page: 1 });
        return 'absent';
      }
    },
    groups: () =>
      allPages(async page => {
        const { data } = await octokit.request('GET /orgs/{org}/actions/runner-groups', { org, ...page, request });
        return data.runner_groups;
      }),
  };
}

interface Page {
  readonly per_page: number;
  readonly page: number;
}

/** Not Octokit’s paginate, which drops the signal. */
async function allPages<T>(read: (page: Page) => Promise<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const items = await read({ per_page: PER_PAGE, page });
    all.push(...items);
    if (items.length < PER_PAGE) return all;
  }
}

type Listed = Awaited<ReturnType<Octokit['rest']['actions']['listSelfHostedRunnersForOrg']>>['data']['runners'][number];

const readRunner = ({ id, name, labels, status, busy, ephemeral }: Listed): Runner => ({
  id,
  name,
  labels: labels.map(label => label.name),
  state: status === 'online' ? 'online' : 'offline',
  busy,
  singleJob: ephemeral === true,
});

/** `… is currently running a job and cannot be deleted.`; before 2025 `… is still running a job"`. */
const isBusy = (failure: unknown): boolean => statusOf(failure) === 422 && /running a job/i.test(String(failure));

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
