import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { languageProblems, type TextFile, typeNameProblems } from './english.ts';

const tracked = (...patterns: readonly string[]): TextFile[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(path => path !== '')
    .flatMap(path => read(path));

/** A file that was deleted and not yet committed is still listed. */
function read(path: string): TextFile[] {
  try {
    return [{ path, text: readFileSync(path, 'utf8') }];
  } catch {
    return [];
  }
}

const isTestSupport = ({ path }: TextFile): boolean => /\.test\.ts$|\/testing\//.test(path);
const sourcesOf = (...packages: readonly string[]): TextFile[] =>
  tracked(...packages.map(name => `packages/${name}/**/*.ts`), ...packages.map(name => `packages/${name}/*.ts`)).filter(
    file => !isTestSupport(file),
  );

const SHIPPED = [
  ...['api', 'cli', 'clock', 'errors', 'forges', 'host', 'kube', 'provider'],
  ...['runners', 'secret', 'spec-file', 'tart-kubelet', 'vendors'],
];

test('text, messages and comments contain none of the phrases that docs/english.md rules out', () => {
  const files = tracked('*.ts', '*.js', '*.md', '*.yaml', '*.yml', '*.tpl', '*.txt', '*.sh', '*.hcl');
  assert.ok(files.length > 1_000, `only ${files.length} files were found`);
  assert.deepEqual(languageProblems(files), []);
});

test('no two types of the shipped packages have the same name, and none is a bare participle', () => {
  const files = sourcesOf(...SHIPPED);
  assert.ok(files.length > 400, `only ${files.length} files were found`);
  assert.deepEqual(typeNameProblems(files), []);
});

for (const name of ['dev', 'local-cluster', 'world']) {
  test(`no two types of packages/${name} have the same name, and none is a bare participle`, () => {
    const files = sourcesOf(name);
    assert.ok(files.length > 20, `only ${files.length} files were found`);
    assert.deepEqual(typeNameProblems(files), []);
  });
}

test('a ruled-out phrase is reported with its place and its replacement', () => {
  const file = { path: 'docs/a.md', text: 'Fine.\nThe delay is 30s unless said.\n' };
  assert.deepEqual(languageProblems([file]), ['docs/a.md:2: "unless said"; write: a default: (default: 30s)']);
});

test('a doc comment that starts with a relative clause is reported, on one line or on several', () => {
  const text =
    '/** What it costs. */\nconst a = 1;\n/**\n * Whether it is done.\n */\nconst b = 2;\n/** Price of it. */\n';
  assert.deepEqual(languageProblems([{ path: 'a.ts', text }]), [
    'a.ts:1: a doc comment starts with "What"; start with a verb or a noun',
    'a.ts:3: a doc comment starts with "Whether"; start with a verb or a noun',
  ]);
});

test('two types of one name and a participle are reported with their files', () => {
  const files = [
    { path: 'a.ts', text: 'export interface Answer {}\ntype Seen = 1;\n' },
    { path: 'b.ts', text: 'interface Answer {}\n' },
  ];
  assert.deepEqual(typeNameProblems(files), [
    'Answer is declared in a.ts and b.ts; give each type its own name',
    'Seen in a.ts is a participle; name the thing',
  ]);
});
