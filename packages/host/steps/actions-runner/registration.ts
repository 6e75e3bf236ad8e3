import type { RunnerIdentity } from './runner-place.ts';

/** What `.runner` says. */
export interface Registration extends RunnerIdentity {
  /** Not configured with `--disableupdate`: GitHub may have put a newer runner in its place. */
  readonly updatesItself: boolean;
}

/** Undefined when there is none, or none that can be read. */
export function readRegistration(text: string | undefined): Registration | undefined {
  if (text === undefined) return undefined;
  try {
    // The runner writes a byte order mark first.
    const settings: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    if (!isSettings(settings)) return undefined;
    const { gitHubUrl, agentName, disableUpdate } = settings;
    return { url: gitHubUrl, name: agentName, updatesItself: disableUpdate !== true };
  } catch {
    return undefined;
  }
}

interface Settings {
  readonly gitHubUrl: string;
  readonly agentName: string;
  readonly disableUpdate?: unknown;
}

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' &&
  value !== null &&
  'gitHubUrl' in value &&
  typeof value.gitHubUrl === 'string' &&
  'agentName' in value &&
  typeof value.agentName === 'string';

export const isSameRunner = (one: RunnerIdentity, other: RunnerIdentity): boolean =>
  one.name === other.name && withoutSlash(one.url) === withoutSlash(other.url);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '').toLowerCase();
