import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from 'octokit';
import type { Github } from '../start-github.ts';
import { APP_ID, appPem, INSTALLATION_ID } from './example-github.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface ClientOptions {
  readonly privateKey?: string;
  /** Retries and waits for rate limits, as the client does by default. */
  readonly patient?: boolean;
  readonly appId?: number | string;
}

/** Creates an unmodified Octokit that authenticates as the App. */
export const appClient = (github: Github, options: ClientOptions = {}): Octokit => client(github, options);

/** Creates an unmodified Octokit that authenticates as the App's installation. */
export const installationClient = (github: Github, options: ClientOptions = {}): Octokit =>
  client(github, options, INSTALLATION_ID);

function client(github: Github, options: ClientOptions, installationId?: number): Octokit {
  const { privateKey = appPem(), patient = false, appId = APP_ID } = options;
  return new Octokit({
    baseUrl: `${github.url}/api/v3`,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, ...(installationId !== undefined && { installationId }) },
    log: SILENT,
    retry: { enabled: patient },
    // By default it waits one second between writes.
    throttle: patient ? { onRateLimit: () => true, onSecondaryRateLimit: () => true } : { enabled: false },
  });
}
