/** Builds the agent as a single executable: used by scripts, containers, benchmarks and the development environment. */
export { type BaseBinary, findBaseBinary } from './base-binary.ts';
export { type BuiltAgent, buildAgent, megabytes } from './build-agent.ts';
export { bundle } from './bundle.ts';
export { cachedAgent } from './cached-agent.ts';
export { readLockfile } from './lockfile.ts';
export { type AgentPlatform, findPlatform, platforms } from './platform.ts';
export { sbom } from './sbom.ts';
export { startTime } from './start-time.ts';
