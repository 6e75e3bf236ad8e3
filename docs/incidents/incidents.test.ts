import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hasOldWay, hasOurWay, incidents } from '@minifleet/dev/testing/incidents';
import { namedTests, testProblem } from '../../scripts/promises.ts';
import { screensIn } from '../screens/shown-in-page.ts';
import { folder, type IncidentPage, incidentPages, parsePage, proseOf } from './incident-page.ts';
import { knownNames } from './known-names.ts';
import { headingProblems, nameProblems } from './page-problems.ts';

/** Number of documented incidents; an incident is not dropped by deleting its page and its entry in the code. */
const DOCUMENTED = 40;

const root = new URL('../../', import.meta.url);
const readFile = (path: string): string | undefined => {
  const file = new URL(path, root);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

const pages = incidentPages();
const known = await knownNames();
const textOf = ({ file }: IncidentPage): string => readFileSync(new URL(file, folder), 'utf8');
const testsOf = ({ parts }: IncidentPage) => namedTests(parts.get('Shown by') ?? '');

test('every documented incident and every incident in the code has exactly one page', () => {
  const documented = Array.from({ length: DOCUMENTED }, (_, index) => `I${String(index + 1).padStart(2, '0')}`);
  const ids = new Set([...documented, ...incidents.map(({ id }) => id)]);
  assert.deepEqual(
    pages.map(({ id }) => id),
    [...ids].sort(),
  );
  assert.deepEqual(
    pages.filter(({ id, file }) => !file.startsWith(`${id}-`)).map(({ file }) => file),
    [],
  );
});

test('incident titles on the pages match the code', () => {
  const titles = new Map(pages.map(({ id, title }) => [id, title]));
  assert.deepEqual(
    incidents.filter(({ id, title }) => titles.get(id) !== title).map(({ id }) => id),
    [],
  );
});

test('docs/incidents/README.md lists every page and marks open incidents', () => {
  const rows = [
    ...readFileSync(new URL('README.md', folder), 'utf8').matchAll(
      /^\| ([IF]\d\d) \|[^|]+\|[^|]+\| \[page\]\(([^)]+)\) \| (in part)? ?\|$/gm,
    ),
  ];
  assert.deepEqual(
    rows.map(([, id, file, open = 'nothing']) => `${id} ${file} ${open}`).sort(),
    pages.map(({ id, file, parts }) => `${id} ${file} ${parts.has('Open') ? 'in part' : 'nothing'}`),
  );
});

describe('incident pages', () => {
  for (const page of pages) {
    test(`${page.file} has its headings in order and at most 60 lines`, () => {
      assert.deepEqual(headingProblems(page), []);
      const lines = textOf(page).trim().split('\n').length;
      assert.ok(lines <= 60, `${lines} lines`);
    });

    test(`${page.file} names tests that exist, and has its own test or an open section`, () => {
      assert.deepEqual(
        testsOf(page).flatMap(one => testProblem(page.file, one, readFile) ?? []),
        [],
      );
      const own =
        testsOf(page).some(({ name }) => name.includes(page.id)) ||
        incidents.some(incident => incident.id === page.id && hasOurWay(incident));
      assert.ok(own || page.parts.has('Open'), 'no test has its id, and there is no open section');
    });

    test(`${page.file} uses names and links that exist`, () => {
      assert.deepEqual(nameProblems(page, known), []);
      const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
      const paths = [...proseOf(page).matchAll(/`((?:packages|images|docs|e2e|config)\/[\w./-]+)`/g)].map(
        ([, path = '']) => `../../${path}`,
      );
      assert.deepEqual(
        [...links, ...paths].filter(path => !existsSync(new URL(path, folder))),
        [],
      );
    });

    test(`${page.file} shows every recorded reproduction`, () => {
      const inOld = incidents.some(incident => incident.id === page.id && hasOldWay(incident))
        ? [`old-way-${page.id}`]
        : [];
      const inOurs = incidents.some(incident => incident.id === page.id && hasOurWay(incident))
        ? [`our-way-${page.id}`]
        : [];
      assert.deepEqual(screensIn(textOf(page)), [...inOld, ...inOurs]);
    });
  }
});

test('docs/simulated.md uses names and links that exist', () => {
  const simulated = new URL('../simulated.md', folder);
  const text = readFileSync(simulated, 'utf8');
  assert.deepEqual(nameProblems(parsePage('simulated.md', text), known), []);
  const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
  assert.deepEqual(
    links.filter(link => !existsSync(new URL(link, simulated))),
    [],
  );
});

describe('page checks', () => {
  const invented = (words: string): string[] => nameProblems(parsePage('I99-x.md', `## Symptom\n\n${words}\n`), known);

  for (const name of [
    'HOST_ON_FIRE',
    'minifleet_hosts_on_fire',
    'HostOnFire',
    '--on-fire',
    'minifleet extinguish <host>',
  ]) {
    test(`page checks report the unknown name \`${name}\``, () =>
      assert.equal(invented(`It says \`${name}\`.`).length, 1));
  }

  test('page checks report an unknown step', () =>
    assert.equal(invented('The steps `vm-egress` and `fire-alarm`.').length, 1));

  test('page checks report missing and unexpected headings', () => {
    assert.equal(headingProblems(parsePage('I99-x.md', '# I99: x\n\n## Symptom\n\n## Blame\n')).length, 1);
  });

  test('page checks accept existing names', () => {
    const words =
      '`HOST_PASSWORD_WRONG`, `HostClaimed`, `minifleet_orphan_hosts`, `--reclaim-orphans`, `minifleet host plan`';
    assert.deepEqual(invented(`${words}, step \`vm-egress\``), []);
  });
});
