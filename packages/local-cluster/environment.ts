/** What this package takes from the process it runs in. The only file that reads it, so tests can give another. */
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

export type Environment = {
  /** Directories whose binaries are used as they are, in this order, with the variable that named each. */
  readonly givenDirectories: readonly { readonly variable: string; readonly directory: string | undefined }[];
  readonly cacheDirectory: string;
  readonly temporaryDirectory: string;
  /** In Go's words: linux, darwin. */
  readonly os: string;
  /** In Go's words: amd64, arm64. */
  readonly arch: string;
  /** Given to tools that need a user's whole environment (go); components of the cluster never see it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
};

export function readEnvironment(): Environment {
  const variables = { ...process.env };
  return {
    givenDirectories: [
      { variable: 'MINIFLEET_CLUSTER_BIN', directory: variables['MINIFLEET_CLUSTER_BIN'] || undefined },
      { variable: 'KUBEBUILDER_ASSETS', directory: variables['KUBEBUILDER_ASSETS'] || undefined },
    ],
    cacheDirectory: path.join(variables['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'minifleet'),
    temporaryDirectory: tmpdir(),
    os: process.platform,
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    variables,
  };
}
