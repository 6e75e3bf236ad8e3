/** Reads the environment of the process. It is the only file that does so, so tests can pass another environment. */
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

export type Environment = {
  /** Directories whose binaries are used without a check, in this order, with the environment variable of each. */
  readonly givenDirectories: readonly { readonly variable: string; readonly directory: string | undefined }[];
  readonly cacheDirectory: string;
  readonly temporaryDirectory: string;
  /** GOOS: linux, darwin. */
  readonly os: string;
  /** GOARCH: amd64, arm64. */
  readonly arch: string;
  /** Passed to tools that need the user's whole environment (go); components of the cluster never get it. */
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
