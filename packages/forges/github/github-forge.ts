import type { Clock } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import type { Forge } from '../forge.ts';
import { openApi } from './api.ts';
import { createCalls } from './calls.ts';
import { GITHUB } from './judge-failure.ts';
import { type Patience, patience as usual } from './patience.ts';
import type { GithubCredentials } from './read-credentials.ts';
import { signedIn } from './signed-in.ts';
import { createSilence } from './silence.ts';
import { singleJobRunner } from './single-job-runner.ts';
import { webUrl } from './web-url.ts';

export interface GithubForgeOptions {
  readonly credentials: GithubCredentials;
  /** The organisation. */
  readonly account: string;
  readonly clock: Clock;
  /** `https://<host>/api/v3` for an Enterprise Server; the public API unless said. */
  readonly apiUrl?: string | undefined;
  /** How we call ourselves; GitHub asks for it to find who makes trouble. */
  readonly userAgent?: string | undefined;
  readonly patience?: Partial<Patience> | undefined;
}

export const PUBLIC_API = 'https://api.github.com';

/** Runners of one organisation, on Octokit. One for each installation: it paces what it sends and keeps its token. */
export function githubForge(options: GithubForgeOptions): Forge {
  const { credentials, account, clock, apiUrl = PUBLIC_API, userAgent = 'minifleet' } = options;
  const patience = { ...usual, ...options.patience };
  const silence = createSilence(clock);
  const paceId = `${apiUrl} ${credentials.installationId}`;
  const octokit = signedIn({ clock, apiUrl, userAgent, patience, silence, paceId }, credentials);
  const call = createCalls({ clock, patience, silence, asked: { account, app: credentials.appId } });

  return {
    name: GITHUB,
    url: webUrl(apiUrl, account),
    registrationToken: settings =>
      call('registrationToken', settings, async signal => {
        const { token, expiresAt } = await openApi(octokit, account, signal).registrationToken();
        return { token: new Secret(`a registration token of ${account}`, token), expiresAt };
      }),
    singleJobRunner: (runner, settings) =>
      call('singleJobRunner', settings, async signal => {
        const { id, configuration } = await singleJobRunner(openApi(octokit, account, signal), account, runner);
        return { id, configuration: new Secret(`the configuration of the runner ${runner.name}`, configuration) };
      }),
    runners: settings => call('runners', settings, signal => openApi(octokit, account, signal).runners()),
    runner: (name, settings) =>
      call('runner', settings, async signal => (await openApi(octokit, account, signal).runners(name))[0]),
    remove: (id, settings) => call('remove', settings, signal => openApi(octokit, account, signal).remove(id)),
  };
}
