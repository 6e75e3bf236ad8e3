import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as forges from '@minifleet/forges';
import * as hosts from '../hosts/errors.ts';
import * as builders from './errors.ts';

const page = readFileSync(new URL('../../../docs/runbooks/builder-runner-offline.md', import.meta.url), 'utf8');

/** Errors that need an operator. */
const forPeople = (exported: object): string[] =>
  Object.values(exported).flatMap(one =>
    typeof one === 'function' && 'definition' in one && 'code' in one && isForPeople(one.definition)
      ? [String(one.code)]
      : [],
  );

const isForPeople = (definition: unknown): boolean =>
  typeof definition === 'object' && definition !== null && 'retry' in definition && definition.retry === 'operator';

test('the runbook lists every builder and GitHub error that needs an operator', () => {
  const codes = [forges, builders, hosts].flatMap(forPeople);
  assert.ok(codes.includes('FORGE_REFUSED') && codes.includes('FORGE_SECRET_MISSING'), codes.join());
  assert.deepEqual(
    codes.filter(code => !page.includes(code)),
    [],
  );
});
