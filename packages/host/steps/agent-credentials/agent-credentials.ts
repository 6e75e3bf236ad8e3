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
  /** The agent's user: it reads them itself. */
  readonly owner: string;
  readonly mode: number;
  /** For credentials the agent replaces by its own: what is there is left as it is, whatever it holds. */
  readonly onlyIfMissing?: boolean;
  /** The agent's own; once they are there, missing ones are not written again. */
  readonly unless?: string;
}

const seen = createFindingCache<CredentialsFinding>();

/** The kubeconfig, or the bootstrap credentials, of the node agent. Compared by hash, sent by standard input, never shown. */
export const agentCredentials = defineStep<AgentCredentialsSettings>({
  id: 'agent-credentials',
  title: 'node agent credentials',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, want) {
    const examined = await examine(host, want);
    return seen.store(drift(examined.differences), examined);
  },

  async change(host, want, finding) {
    const { path, owner, mode } = want;
    if (want.content.reveal().toString().trim() === '') throw HOST_CREDENTIALS_EMPTY({ path, address: host.address });
    const { needs } = seen.stateFor(finding) ?? (await examine(host, want));
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

/** The credentials as they lie on the host; the content is only ever known by its hash. */
interface CredentialsState {
  readonly file: PathFacts | undefined;
  readonly sha256: string | undefined;
  /** Whether the file that replaces them is there: the agent has got its own by now. */
  readonly superseded: boolean;
}

interface ExpectedCredentials {
  readonly path: string;
  readonly owner: string;
  readonly mode: number;
  readonly sha256: string;
  readonly onlyIfMissing: boolean;
}

/** What to do, from least to most: nothing, give the file its owner and mode, write it. */
interface CredentialsFinding {
  readonly needs: 'nothing' | 'owner' | 'content';
  readonly differences: readonly string[];
}

function credentialsDifferences(state: CredentialsState, want: ExpectedCredentials): CredentialsFinding {
  const { file, sha256, superseded } = state;
  const { path } = want;
  // The agent rotates what it got for them; a bootstrap token that is spent and gone is not to come back.
  if (!file && want.onlyIfMissing && superseded) return { needs: 'nothing', differences: [] };
  if (!file) return { needs: 'content', differences: [`${path} is missing`] };
  const rights = rightsDifferences(file, want);
  if (!want.onlyIfMissing && sha256 !== want.sha256)
    return { needs: 'content', differences: [`${path} contains other credentials`, ...rights] };
  return { needs: rights.length > 0 ? 'owner' : 'nothing', differences: rights };
}

const rightsDifferences = (file: PathFacts, { path, owner, mode }: ExpectedCredentials): string[] => [
  ...(file.owner === owner ? [] : [`${path} belongs to ${file.owner}, expected ${owner}`]),
  ...(file.mode === mode ? [] : [`${path} has mode ${octal(file.mode)}, expected ${octal(mode)}`]),
];

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
