/**
 * Content of the executable as CycloneDX: the packages that contribute to the bundle, as pinned by the lockfile, and
 * Node.
 */
import { createHash } from 'node:crypto';
import type { LockedPackage, Lockfile } from './lockfile.ts';

interface SbomOptions {
  readonly lockfile: Lockfile;
  readonly inputs: readonly string[];
  readonly runtime: { readonly name: string; readonly locked: LockedPackage };
  readonly binary: { readonly name: string; readonly version: string; readonly sha256: string };
}

interface SbomComponent {
  readonly type: 'application' | 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly { readonly expression: string }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export function sbom({ lockfile, inputs, runtime, binary }: SbomOptions): object {
  const folders = [...new Set(inputs.map(packageFolder))].sort();
  const components = [
    ...folders.map(folder => componentOf(folder, lockfile)),
    component('platform', runtime.name, runtime.locked),
  ];
  const application = {
    ...component('application', binary.name, { version: binary.version, license: 'Apache-2.0' }),
    hashes: [{ alg: 'SHA-256', content: binary.sha256 }],
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // Derived from the binary instead of chance or time: equal binaries have equal SBOMs.
    serialNumber: `urn:uuid:${uuidOf(binary.sha256)}`,
    version: 1,
    metadata: { component: application },
    components,
    dependencies: [{ ref: application['bom-ref'], dependsOn: components.map(one => one['bom-ref']) }],
  };
}

/**
 * Package folder of a file: `node_modules/@a/b` for `node_modules/@a/b/lib/x.js`, `packages/kube` for
 * `packages/kube/index.ts`.
 */
export function packageFolder(input: string): string {
  const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+|^packages\/[^/]+/.exec(input)?.[0];
  if (folder === undefined) throw new Error(`bundled file ${input} belongs to no package`);
  return folder;
}

function componentOf(folder: string, lockfile: Lockfile): SbomComponent {
  const locked = lockfile[folder];
  if (locked?.version === undefined) throw new Error(`bundled package ${folder} is not pinned by package-lock.json`);
  return component(
    'library',
    locked.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
    locked,
  );
}

function component(
  type: SbomComponent['type'],
  name: string,
  { version = '', license, integrity }: LockedPackage,
): SbomComponent {
  const purl = `pkg:${type === 'application' ? 'generic' : 'npm'}/${name.replace('@', '%40')}@${version}`;
  const sha512 = integrity?.startsWith('sha512-')
    ? Buffer.from(integrity.slice(7), 'base64').toString('hex')
    : undefined;
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(sha512 === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
  };
}

/** A UUID of version 8, derived from a hash. */
function uuidOf(sha256: string): string {
  const bytes = createHash('sha256').update(`minifleet sbom ${sha256}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
