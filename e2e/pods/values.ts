/** Values of both installations. */
export const COMMON_VALUES = `imageRegistry: ghcr.io/acme
runnerPools:
  account: acme
  githubApp: { name: github-app }
  pools:
    macos-26:
      replicas: 6
      image: ghcr.io/acme/runner:macos-26.3-1.0.0
      podCPUMilli: 4000
      podMemoryMB: 6144`;
