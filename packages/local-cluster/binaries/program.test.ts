import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { linkerFlags, PROGRAMS, type Program } from './program.ts';

const programs: Program[] = Object.values(PROGRAMS);
const goMod = (folder: string) => readFileSync(path.join(import.meta.dirname, '..', 'go', folder, 'go.mod'), 'utf8');

test('programs: each one built by go is a tool of its go.mod, at the version of the table', () => {
  for (const { name, version, recipe } of programs) {
    const text = goMod(recipe.folder);
    if (recipe.kind === 'go')
      assert.match(text, new RegExp(`^(tool |\\t)${RegExp.escape(recipe.package)}$`, 'm'), name);
    assert.match(
      text,
      new RegExp(
        `(k8s.io/kubernetes|etcd/server/v3|cluster-api|helm/v\\d|metrics-server|packer|actionlint|external-secrets|prometheus-operator) ${RegExp.escape(version)}`,
      ),
      name,
    );
  }
});

test('programs: Kubernetes programs get their version in both packages that report it', () => {
  const { recipe } = PROGRAMS['kube-apiserver'];
  assert.ok(recipe.kind === 'go');
  const flags = linkerFlags(recipe);
  for (const goPackage of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
    for (const stamp of ['gitVersion=v1.36.4', 'gitMajor=1', 'gitMinor=36', 'gitTreeState=clean']) {
      assert.ok(flags.includes(`-X ${goPackage}.${stamp}`), `${goPackage}.${stamp}`);
    }
  }
});

test('programs: Helm 3 and Helm 4 get their version in their own modules', () => {
  const flags = [PROGRAMS.helm, PROGRAMS.helm3].map(({ recipe }) => (recipe.kind === 'go' ? linkerFlags(recipe) : ''));
  assert.match(flags[0] ?? '', /helm\.sh\/helm\/v4\/internal\/version\.version=v4/);
  assert.match(flags[1] ?? '', /helm\.sh\/helm\/v3\/internal\/version\.version=v3/);
});
