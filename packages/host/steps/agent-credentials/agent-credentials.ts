import { createHash } from 'node:crypto';
import { minutes } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import { createSeen } from '../../engine/seen.ts';
import { defineStep, drift } from '../../engine/step.ts';
import type { HostView } from '../../host.ts';
import { scriptFailure } from '../../launchd/script-failure.ts';
import { describePaths } from '../agent-binary/path-facts.ts';
import { type CredentialsFinding, credentialsDifferences } from './credentials-differences.ts';
import { HOST_CREDENTIALS_EMPTY } from './errors.ts';

export interface AgentCredentials {
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

const seen = createSeen<CredentialsFinding>();

/** The kubeconfig, or the bootstrap credentials, of the node agent. Compared by hash, sent by standard input, never shown. */
export const agentCredentials = defineStep<AgentCredentials>({
  id: 'agent-credentials',
  title: 'node agent credentials',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, want) {
    const examined = await examine(host, want);
    return seen.keep(drift(examined.differences), examined);
  },

  async change(host, want, finding) {
    const { path, owner, mode } = want;
    if (want.content.reveal().toString().trim() === '') throw HOST_CREDENTIALS_EMPTY({ path, address: host.address });
    const { needs } = seen.behind(finding) ?? (await examine(host, want));
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

async function examine(host: HostView, want: AgentCredentials): Promise<CredentialsFinding> {
  const { path, owner, mode, onlyIfMissing = false, unless } = want;
  const [paths, hashed] = await Promise.all([
    describePaths(host, unless === undefined ? [path] : [path, unless]),
    host.look(['/usr/bin/shasum', '-a', '256', path], { root: true }),
  ]);
  const state = {
    file: paths.get(path),
    sha256: hashed.exitCode === 0 ? hashed.stdout.slice(0, 64) : undefined,
    superseded: unless !== undefined && paths.has(unless),
  };
  const sha256 = createHash('sha256').update(want.content.reveal()).digest('hex');
  return credentialsDifferences(state, { path, owner, mode, sha256, onlyIfMissing });
}
