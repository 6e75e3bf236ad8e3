import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseImageName, repositoryOf } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test('an image name is normalized to a tag or a digest, and the digest has precedence', () => {
  const references = {
    'ghcr.io/acme/runner': 'ghcr.io/acme/runner:latest',
    'ghcr.io/acme/runner:1': 'ghcr.io/acme/runner:1',
    '127.0.0.1:5000/runner:1': '127.0.0.1:5000/runner:1',
    'localhost:5000/a/b/c_d': 'localhost:5000/a/b/c_d:latest',
    [`ghcr.io/acme/runner@${DIGEST}`]: `ghcr.io/acme/runner@${DIGEST}`,
    [`ghcr.io/acme/runner:1@${DIGEST}`]: `ghcr.io/acme/runner@${DIGEST}`,
  };
  for (const [image, reference] of Object.entries(references)) assert.equal(parseImageName(image).reference, reference);
});

test('local VM names, options, paths and URLs are InvalidImageName', () => {
  const bad = [
    '',
    'golden',
    'tuist-runner:1',
    '-h/x',
    '--insecure',
    'ghcr.io/Acme/runner',
    'ghcr.io//runner',
    'ghcr.io/../x',
    'ghcr.io/a b',
    'ghcr.io/a:',
    'ghcr.io/a@sha256:abc',
    'https://ghcr.io/a',
    'ghcr.io/a\n',
    `ghcr.io/${'a'.repeat(2_000)}`,
  ];
  for (const image of bad) {
    assert.throws(() => parseImageName(image), { reason: 'InvalidImageName' }, JSON.stringify(image));
  }
});

test('repositoryOf strips the tag or digest, but not the port of the registry', () => {
  assert.equal(repositoryOf('127.0.0.1:5000/runner'), '127.0.0.1:5000/runner');
  assert.equal(repositoryOf('127.0.0.1:5000/runner:1'), '127.0.0.1:5000/runner');
  assert.equal(repositoryOf(`ghcr.io/acme/runner@${DIGEST}`), 'ghcr.io/acme/runner');
});
