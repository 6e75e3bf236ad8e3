import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { writeFleetFile, writeHostFiles } from '@minifleet/dev/testing/up';
import {
  AGENT_FILE,
  defaultFleetFile,
  HOMEBREW_INSTALLER_FILE,
  HOST_FILES,
  RUNNER,
  readFleetFile,
  TART,
} from '@minifleet/spec-file';
import { parse, parseAllDocuments } from 'yaml';
import { createFleetFile } from '../e2e/testing/fleet-file.ts';

const repository = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, repository), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'minifleet-default-fleet-file-'));
after(() => rmSync(folder, { recursive: true }));

const image = defaultFleetFile();

/** The same file names in another folder, and the one part that a default cannot have. */
const { builder, ...hosts } = defaultFleetFile('.');
const local = { ...hosts, builder: { ...builder, homebrewInstaller: `./${HOMEBREW_INSTALLER_FILE}` } };

test('the chart and the clusterctl assets give hosts the same default configuration', () => {
  assert.deepEqual(parse(read('charts/minifleet/values.yaml')).provider.hosts, image);
  const objects = parseAllDocuments(read('config/clusterctl/infrastructure-components.yaml')).map(one => one.toJS());
  const files = objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? (data?.['fleet.yaml'] ?? []) : []));
  assert.deepEqual(
    files.map(text => parse(text)),
    [image],
  );
});

test('minifleet up and the e2e tests give hosts the default configuration of the chart', async () => {
  // Settings of the local cluster, which no default can have.
  const { egress, localNetwork, ...up } = parse(readFileSync(await writeFleetFile(folder), 'utf8'));
  assert.deepEqual(up, local);
  assert.deepEqual([egress.allow.length, localNetwork], [1, false]);
  const { localNetwork: off, ...tests } = parse(readFileSync((await createFleetFile(folder)).path, 'utf8'));
  assert.deepEqual([tests, off], [local, false]);
});

test('npm start and the onboarding test start the environment of minifleet up', () => {
  assert.match(read('docs/onboarding.md'), /^\$ npm run --silent minifleet -- up --detach$/m);
  assert.match(JSON.parse(read('package.json')).scripts.start, / up$/);
});

test('the default configuration names only files of the provider image', async () => {
  const named = [...JSON.stringify(image).matchAll(/"(\/usr\/local\/share\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.deepEqual(
    named.toSorted(),
    [AGENT_FILE, TART.file, RUNNER.file].map(file => `${HOST_FILES}/${file}`).toSorted(),
  );
  for (const path of named) assert.equal(dirname(path), HOST_FILES);
});

test('a provider can read the default configuration with the files of the image', async () => {
  const files = join(folder, 'read');
  await writeHostFiles(files);
  assert.deepEqual(readdirSync(files).length, 4);
  const fleet = await readFleetFile(await writeFleetFile(join(folder, 'up')));
  assert.equal(fleet.tart?.version, TART.version);
  assert.equal(fleet.builder?.runner.version, RUNNER.version);
});
