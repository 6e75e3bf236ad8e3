import type { Octokit } from 'octokit';
import { FORGE_GROUP_UNKNOWN, FORGE_RUNNER_EXISTS } from '../errors.ts';
import type { NewRunner, Runner, RunnerRemoval, RunnerVersionSupport } from '../forge.ts';
import { GITHUB, statusOf } from './judge-failure.ts';

const PER_PAGE = 100;
/** A retry would conflict with the runner that the first attempt created. */
const NO_RETRY = { retries: 0 };

interface JitRunner extends Omit<NewRunner, 'group'> {
  readonly groupId: number;
}

/** Requests for one organisation. Octokit retries reads, tokens and removals, and nothing else. */
interface OrganisationApi {
  registrationToken(): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** All runners, or those with this name. */
  runners(name?: string): Promise<readonly Runner[]>;
  generate(runner: JitRunner): Promise<{ readonly id: number; readonly configuration: string }>;
  remove(id: number): Promise<RunnerRemoval>;
  groups(): Promise<readonly RunnerGroup[]>;
  runnerVersion(version: string): Promise<RunnerVersionSupport | undefined>;
}

interface RunnerGroup {
  readonly id: number;
  readonly name: string;
}

export function openOrganisationApi(octokit: Octokit, org: string, signal: AbortSignal): OrganisationApi {
  const { actions } = octokit.rest;
  const request = { signal };
  const runnersPage = (page: GithubPage, name?: string) =>
    actions.listSelfHostedRunnersForOrg({ org, ...page, ...(name !== undefined && { name }), request });

  return {
    async registrationToken() {
      const { data } = await actions.createRegistrationTokenForOrg({ org, request });
      return { token: data.token, expiresAt: Date.parse(data.expires_at) };
    },
    async runners(name) {
      const all = await allPages(async page => (await runnersPage(page, name)).data.runners);
      // A runner that moves up while pages are read is listed twice. Not every server supports the filter by name.
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
        request: { ...request, ...NO_RETRY },
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
        // An organisation that is no longer visible also returns 404: absent needs a list that succeeds.
        await runnersPage({ per_page: 1, page: 1 });
        return 'absent';
      }
    },
    groups: () =>
      allPages(async page => {
        const { data } = await octokit.request('GET /orgs/{org}/actions/runner-groups', { org, ...page, request });
        return data.runner_groups;
      }),
    async runnerVersion(version) {
      try {
        const { data } = (await octokit.request(DEPRECATION, { org, version, request })) as { data: Deprecation };
        const endsAt = Date.parse(data.runtime_deprecates_at ?? '');
        return { endsAt: Number.isNaN(endsAt) ? undefined : endsAt };
      } catch (failure) {
        // An unknown version, or a server without this endpoint, which exists since 2026-09-03.
        if (statusOf(failure) === 404) return undefined;
        throw failure;
      }
    },
  };
}

/** Newer than Octokit's description of the API. */
const DEPRECATION = 'GET /orgs/{org}/actions/runners/deprecations/{version}';

/** The time is null for the newest version (rest-api-description#7162). */
interface Deprecation {
  readonly runtime_deprecates_at?: string | null;
}

interface GithubPage {
  readonly per_page: number;
  readonly page: number;
}

/** Replaces Octokit’s paginate, which drops the signal. */
async function allPages<T>(read: (page: GithubPage) => Promise<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const items = await read({ per_page: PER_PAGE, page });
    all.push(...items);
    if (items.length < PER_PAGE) return all;
  }
}

type ListedRunner = Awaited<
  ReturnType<Octokit['rest']['actions']['listSelfHostedRunnersForOrg']>
>['data']['runners'][number];

const readRunner = ({ id, name, labels, status, busy, ephemeral, ...more }: ListedRunner): Runner => ({
  id,
  name,
  labels: labels.map(label => label.name),
  state: status === 'online' ? 'online' : 'offline',
  busy,
  singleJob: ephemeral === true,
  ...versionIn(more),
});

/** Octokit's description of the list lacks the version, which GitHub returns since 2026. */
function versionIn(listed: { readonly version?: unknown }): Pick<Runner, 'version'> {
  return typeof listed.version === 'string' && listed.version !== '' ? { version: listed.version } : {};
}

/** `… is currently running a job and cannot be deleted.`; before 2025 `… is still running a job"`. */
const isBusy = (failure: unknown): boolean => statusOf(failure) === 422 && /running a job/i.test(String(failure));

/** ID of the group `Default` in every organisation. */
const DEFAULT_GROUP = 1;

/** Registers a runner; if an abandoned offline runner has the name, removes it and retries once. */
export async function singleJobRunner(
  api: OrganisationApi,
  account: string,
  desired: NewRunner,
): ReturnType<OrganisationApi['generate']> {
  const runner = { ...desired, groupId: await groupId(api, account, desired.group) };
  const taken = (cause?: unknown): Error =>
    FORGE_RUNNER_EXISTS({ forge: GITHUB, name: desired.name, account }, { cause });
  try {
    return await api.generate(runner);
  } catch (failure) {
    if (statusOf(failure) !== 409) throw failure;
  }
  if (!(await freeName(api, desired.name))) throw taken();
  return api.generate(runner).catch((failure: unknown) => {
    throw statusOf(failure) === 409 ? taken(failure) : failure;
  });
}

async function freeName(api: OrganisationApi, name: string): Promise<boolean> {
  const [old] = await api.runners(name);
  if (!old) return true;
  if (old.busy || old.state === 'online') return false;
  return (await api.remove(old.id)) !== 'busy';
}

/** Not cached, because groups are renamed and recreated: a named group costs one more request. */
async function groupId(api: OrganisationApi, account: string, group: string | undefined): Promise<number> {
  if (group === undefined) return DEFAULT_GROUP;
  const groups = await api.groups();
  const found = groups.find(({ name }) => name === group);
  if (found) return found.id;
  const known = groups.map(({ name }) => name).join(', ');
  throw FORGE_GROUP_UNKNOWN({ forge: GITHUB, group, account, known });
}
