/** URLs of official releases and their SHA-256. */
import type { Environment } from '../environment.ts';
import type { Program } from './program.ts';

export type Release = {
  readonly url: string;
  /** The program inside the archive; absent if the download is the program itself. */
  readonly member?: string;
  readonly checksumUrl: string;
  /** Finds the SHA-256 of `url` in the content of `checksumUrl`. */
  readonly checksumIn: (text: string) => string | undefined;
};

export function releaseOf(
  program: Program,
  { os, arch }: Pick<Environment, 'os' | 'arch'>,
): Release | { passedOver: string; expected: true } {
  const { download, name, version } = program;
  switch (download.kind) {
    case 'none':
      return { passedOver: `no official binary: ${download.reason}`, expected: true };
    case 'kubernetes':
      if (os === 'darwin' && !download.darwin)
        return { passedOver: `no official binary: ${name} is not released for macOS`, expected: true };
      return kubernetesRelease(`https://dl.k8s.io/release/${version}/bin/${os}/${arch}/${name}`);
    case 'etcd':
      return etcdRelease(version, `etcd-${version}-${os}-${arch}`, os === 'linux' ? 'tar.gz' : 'zip');
    case 'helm': {
      const url = `https://get.helm.sh/helm-${version}-${os}-${arch}.tar.gz`;
      return { url, member: `${os}-${arch}/helm`, checksumUrl: `${url}.sha256sum`, checksumIn: firstSha256 };
    }
    case 'github':
      return githubRelease(download.repository, version, `${name}-${os}-${arch}`);
  }
}

function kubernetesRelease(url: string): Release {
  return { url, checksumUrl: `${url}.sha256`, checksumIn: firstSha256 };
}

function etcdRelease(version: string, folder: string, extension: string): Release {
  const root = `https://github.com/etcd-io/etcd/releases/download/${version}`;
  const archive = `${folder}.${extension}`;
  return {
    url: `${root}/${archive}`,
    member: `${folder}/etcd`,
    checksumUrl: `${root}/SHA256SUMS`,
    checksumIn: text => firstSha256(text.split('\n').find(line => line.trimEnd().endsWith(` ${archive}`)) ?? ''),
  };
}

/** For releases without a checksum file, GitHub's digest of each asset is used. */
function githubRelease(repository: string, version: string, asset: string): Release {
  return {
    url: `https://github.com/${repository}/releases/download/${version}/${asset}`,
    checksumUrl: `https://api.github.com/repos/${repository}/releases/tags/${version}`,
    checksumIn(text) {
      const { assets } = JSON.parse(text) as { assets?: { name?: string; digest?: string | null }[] };
      return firstSha256(assets?.find(({ name }) => name === asset)?.digest ?? '');
    },
  };
}

function firstSha256(text: string): string | undefined {
  return /\b[0-9a-f]{64}\b/.exec(text)?.[0];
}
