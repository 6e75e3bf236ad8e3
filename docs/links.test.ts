import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { headingAnchors, relativeLinks } from './testing/markdown-links.ts';

/** Templates whose links are relative to the page that is generated from them; that page is checked. */
const TEMPLATES = ['charts/generate/readme.md'];

const pages = globSync('**/*.md', { exclude: path => /(^|\/)(node_modules|dist)$/.test(path) }).filter(
  page => !TEMPLATES.includes(page),
);
const read = (page: string): string => readFileSync(page, 'utf8');

const anchorsOf = (path: string): readonly string[] =>
  statSync(path).isDirectory() ? anchorsOf(join(path, 'README.md')) : headingAnchors(read(path));

function linkProblem(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (!existsSync(target)) return `${page}: ${link} does not exist`;
  return anchor === undefined || anchorsOf(target).includes(anchor)
    ? undefined
    : `${page}: ${link} has no such heading`;
}

test('every relative link and anchor in Markdown pages has a target', () => {
  assert.ok(pages.includes('README.md') && pages.length > 100, `${pages.length} pages`);
  assert.deepEqual(
    pages.flatMap(page => relativeLinks(read(page)).flatMap(link => linkProblem(page, link) ?? [])),
    [],
  );
});
