/** Who gives jobs: one driver a folder, one contract for all. It knows no Kubernetes. */
export * from './errors.ts';
export * from './forge.ts';
export * from './forge-lookup.ts';
export { type GithubForgeOptions, githubForge } from './github/github-forge.ts';
export { type GithubResolverOptions, githubResolver } from './github/github-resolver.ts';
export type { Patience } from './github/open-octokit.ts';
export { type GithubCredentials, readCredentials } from './github/read-credentials.ts';
export type { ForgeObserver, ForgeRequest } from './observed-resolver.ts';
export * from './runner-list-cache.ts';
