/** A file of another project that a host gets, pinned by its hash. */
export interface PinnedFile {
  readonly name: string;
  readonly version: string;
  /** Name of the file in the folder of the files for hosts. */
  readonly file: string;
  readonly url: string;
  readonly sha256: string;
  /** Where the project publishes the hash. */
  readonly published: string;
}

/** Folder of the files for hosts in the image of the provider. */
export const HOST_FILES = '/usr/local/share/minifleet';

/** The node agent for Macs, built from this repository. */
export const AGENT_FILE = 'tart-kubelet-darwin-arm64';

export const TART: PinnedFile = {
  name: 'Tart',
  version: '2.32.1',
  file: 'tart-2.32.1.tar.gz',
  url: 'https://github.com/openai/tart/releases/download/2.32.1/tart.tar.gz',
  sha256: '8554ab4f7fc12afe52f9b7e3093a935673cbac737a83973d2db7a0683c814529',
  published: 'tart_2.32.1_checksums.txt of the release, and the Homebrew formula of Tart',
};

/**
 * Runner of image builders and of the VM images (`images/versions.pkrvars.hcl`). 2.336.0 reached its end of support on
 * 2026-11-05 and could hang on macOS arm64 (actions/runner#4570, #4575). The checksum comes from public files of other
 * projects: compare it with the release page.
 */
export const RUNNER: PinnedFile = {
  name: 'the GitHub Actions runner',
  version: '2.338.0',
  file: 'actions-runner-osx-arm64-2.338.0.tar.gz',
  url: 'https://github.com/actions/runner/releases/download/v2.338.0/actions-runner-osx-arm64-2.338.0.tar.gz',
  sha256: 'df4cebda25c86a886ed204e49fee63f5c2e7cec5f447b5c98440a826bbdf9df2',
  published: 'several public files; to be compared with the notes of the release v2.338.0',
};

/** Homebrew's install script, which an operator provides with its hash: Homebrew publishes none. */
export const HOMEBREW_INSTALLER_FILE = 'install-homebrew.sh';

/**
 * The fleet file of the chart, of the clusterctl assets and of `minifleet up`. `folder` has the files. Only machines with
 * `ghActionsRunner` become builders, with the organization and the labels of the machine. `builder.homebrewInstaller` has no default.
 */
export const defaultFleetFile = (folder: string = HOST_FILES) => ({
  agent: { binary: `${folder}/${AGENT_FILE}` },
  tart: { version: TART.version, archive: `${folder}/${TART.file}` },
  builder: {
    formulae: [
      // The version is a minimum, as in images/macos.pkr.hcl.
      { name: 'hashicorp/tap/packer', version: '1.11.0', pinned: true },
      { name: 'crane', pinned: false },
    ],
    xcode: { developerDirectory: '/Applications/Xcode.app/Contents/Developer' },
    buildCache: { directory: '/opt/build-cache', variable: 'BUILD_CACHE' },
    runner: { version: RUNNER.version, archive: `${folder}/${RUNNER.file}` },
  },
});
