import { readFileSync } from 'node:fs';
import { hostStatesTable } from '@minifleet/provider/testing/hosts';
import { withTable } from './flags-page.ts';

/** docs/fleets.md, with the current table of the states of a host. */
export function fleetsPage(): string {
  const page = readFileSync(new URL('../docs/fleets.md', import.meta.url), 'utf8');
  return withTable(page, 'host states', hostStatesTable());
}
