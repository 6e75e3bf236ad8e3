import type { PathFacts } from '../agent-binary/path-facts.ts';

/** The credentials as they lie on the host; the content is only ever known by its hash. */
export interface CredentialsState {
  readonly file: PathFacts | undefined;
  readonly sha256: string | undefined;
  /** Whether the file that replaces them is there: the agent has got its own by now. */
  readonly superseded: boolean;
}

export interface WantedCredentials {
  readonly path: string;
  readonly owner: string;
  readonly mode: number;
  readonly sha256: string;
  readonly onlyIfMissing: boolean;
}

/** What to do, from least to most: nothing, give the file its owner and mode, write it. */
export interface CredentialsFinding {
  readonly needs: 'nothing' | 'owner' | 'content';
  readonly differences: readonly string[];
}

export function credentialsDifferences(state: CredentialsState, want: WantedCredentials): CredentialsFinding {
  const { file, sha256, superseded } = state;
  const { path } = want;
  // The agent rotates what it got for them; a bootstrap token that is spent and gone is not to come back.
  if (!file && want.onlyIfMissing && superseded) return { needs: 'nothing', differences: [] };
  if (!file) return { needs: 'content', differences: [`${path} is missing`] };
  const rights = rightsDifferences(file, want);
  if (!want.onlyIfMissing && sha256 !== want.sha256)
    return { needs: 'content', differences: [`${path} holds other credentials than wanted`, ...rights] };
  return { needs: rights.length > 0 ? 'owner' : 'nothing', differences: rights };
}

const rightsDifferences = (file: PathFacts, { path, owner, mode }: WantedCredentials): string[] => [
  ...(file.owner === owner ? [] : [`${path} belongs to ${file.owner}, wanted ${owner}`]),
  ...(file.mode === mode ? [] : [`${path} has mode ${octal(file.mode)}, wanted ${octal(mode)}`]),
];

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
