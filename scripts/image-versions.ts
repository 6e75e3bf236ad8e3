import { RUNNER } from '@minifleet/spec-file';

/** Tart's guest agent, which only images contain. */
const GUEST_AGENT = {
  version: '0.15.0',
  sha256: 'eb47f402f18e742a8ea96344115ca776179f9c4c67494bc0c46a10a68db280b7',
};

const pin = (name: string, { version, sha256 }: { readonly version: string; readonly sha256: string }): string =>
  `${name} = {\n  version = "${version}"\n  sha256  = "${sha256}"\n}\n`;

/** `images/versions.pkrvars.hcl`. VMs get the same actions/runner as builders, so both reach their end of support together. */
export const imageVersions = (): string =>
  [
    '# Downloads of every image, with version and checksum. Written by npm run generate: actions_runner is RUNNER of\n',
    '# packages/spec-file/default-fleet-file.ts, and guest_agent is GUEST_AGENT of scripts/image-versions.ts.\n',
    pin('actions_runner', RUNNER),
    pin('guest_agent', GUEST_AGENT),
  ].join('');
