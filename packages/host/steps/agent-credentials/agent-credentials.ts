import { createHash } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import type { Secret } from '@minifleet/secret';
import { createFindingCache, defineStep, drift } from '../../engine/step.ts';
import { describePaths, type PathFacts } from '../../file-info.ts';
import type { HostView } from '../../host.ts';
import { scriptFailure } from '../../script-failure.ts';

export const HOST_CREDENTIALS_EMPTY = defineError('HOST_CREDENTIALS_EMPTY', {
  retry: 'backoff',
  reason: 'HostCredentialsEmpty',
  text: '{address}: credentials for {path} are empty; check the program that creates them; nothing was written',
});

export interface AgentCredentialsSettings {
  readonly path: string;
  readonly content: Secret;
  /** The agent's user, which reads the file. */
  readonly owner: string;
  readonly mode: number;
  /** For credentials that the agent replaces: an existing file is kept, whatever its content. */
  readonly onlyIfMissing?: boolean;
  /** Path of the agent's own credentials; once they exist, missing ones are not written again. */
  readonly unless?: string;
}

const findings = createFindingCache<CredentialsFinding>();

/** Kubeconfig or bootstrap credentials of the node agent. Compared by hash, sent on standard input, never shown. */
export const agentCredentials = defineStep<AgentCredentialsSettings>({
  id: 'agent-credentials',
  title: 'node agent credentials',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, want) {
    const examined = await examine(host, want);
    return findings.store(drift(examined.differences), examined);
  },

  async change(host, want, finding) {
    const { path, owner, mode } = want;
    if (want.content.reveal().toString().trim() === '') throw HOST_CREDENTIALS_EMPTY({ path, address: host.address });
    const { needs } = findings.stateFor(finding) ?? (await examine(host, want));
    if (needs === 'nothing') return [];
    if (needs === 'content') {
      await host.writeFile({ path, owner, mode }, want.content);
      return [`wrote ${path}`];
    }
    const ran = await host.script('agent-credentials-rights', [path, mode.toString(8), owner]);
    if (ran.exitCode !== 0) throw scriptFailure(host, { command: `agent-credentials-rights ${path}`, path }, ran);
    return [];
  },
});

async function examine(host: HostView, want: AgentCredentialsSettings): Promise<CredentialsFinding> {
  const { path, owner, mode, onlyIfMissing = false, unless } = want;
  const [paths, hashed] = await Promise.all([
    describePaths(host, unless === undefined ? [path] : [path, unless]),
    host.query(['/usr/bin/shasum', '-a', '256', path], { root: true }),
  ]);
  const state = {
    file: paths.get(path),
    sha256: hashed.exitCode === 0 ? hashed.stdout.slice(0, 64) : undefined,
    superseded: unless !== undefined && paths.has(unless),
  };
  const sha256 = createHash('sha256').update(want.content.reveal()).digest('hex');
  return credentialsDifferences(state, { path, owner, mode, sha256, onlyIfMissing });
}

/** Credentials file on the host; only the hash of the content is known. */
interface CredentialsState {
  readonly file: PathFacts | undefined;
  readonly sha256: string | undefined;
  /** True if the agent has its own credentials by now. */
  readonly superseded: boolean;
}

interface ExpectedCredentials {
  readonly path: string;
  readonly owner: string;
  readonly mode: number;
  readonly sha256: string;
  readonly onlyIfMissing: boolean;
}

/** Required action, from least to most: nothing, change owner and mode, write the file. */
interface CredentialsFinding {
  readonly needs: 'nothing' | 'owner' | 'content';
  readonly differences: readonly string[];
}

function credentialsDifferences(state: CredentialsState, want: ExpectedCredentials): CredentialsFinding {
  const { file, sha256, superseded } = state;
  const { path } = want;
  // The agent rotates the credentials that it got for these; a used bootstrap token must not come back.
  if (!file && want.onlyIfMissing && superseded) return { needs: 'nothing', differences: [] };
  if (!file) return { needs: 'content', differences: [`${path} is missing`] };
  const rights = permissionDifferences(file, want);
  if (!want.onlyIfMissing && sha256 !== want.sha256)
    return { needs: 'content', differences: [`${path} contains other credentials`, ...rights] };
  return { needs: rights.length > 0 ? 'owner' : 'nothing', differences: rights };
}

const permissionDifferences = (file: PathFacts, { path, owner, mode }: ExpectedCredentials): string[] => [
  ...(file.owner === owner ? [] : [`${path} belongs to ${file.owner}, expected ${owner}`]),
  ...(file.mode === mode ? [] : [`${path} has mode ${octal(file.mode)}, expected ${octal(mode)}`]),
];

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
