/** Services that hand out CI jobs: one folder for each driver, one contract for all. No dependency on Kubernetes. */
export * from './errors.ts';
export * from './forge.ts';
export * from './forge-lookup.ts';
export { type GithubForgeOptions, githubForge } from './github/github-forge.ts';
export { type GithubResolverOptions, githubResolver } from './github/github-resolver.ts';
export type { GithubLimits } from './github/open-octokit.ts';
export { type GithubCredentials, readCredentials } from './github/read-credentials.ts';
export type { ForgeObserver, ForgeRequest } from './observed-resolver.ts';
export * from './runner-list-cache.ts';
export * from './runner-version-cache.ts';
