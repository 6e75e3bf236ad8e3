import { NAMESPACES, VERBS } from './account.ts';
import type { RecordedAccount } from './record-access.ts';

/** Permissions that `--list` reports and no row of the table shows. Verbs without a column are below the table. */
export function rightsNotShown({ rows, granted }: RecordedAccount): string[] {
  const shown = new Set(
    rows.flatMap(({ what, place, answers }) =>
      VERBS.filter((_, index) => answers[index] === 'yes').flatMap(verb =>
        (place === 'everywhere' ? NAMESPACES : [place]).map(namespace => `${verb} ${what} in ${namespace}`),
      ),
    ),
  );
  const given = [...granted].flatMap(([namespace, all]) =>
    all
      .filter(({ resource }) => resource !== '')
      .flatMap(({ resource, names, verbs }) =>
        (names.length === 0 ? [resource] : names.map(name => `${resource} ${name}`)).flatMap(what =>
          verbs.filter(isColumn).map(verb => `${verb} ${what} in ${namespace}`),
        ),
      ),
  );
  return given.filter(right => !shown.has(right));
}

const isColumn = (verb: string): boolean => VERBS.some(column => column === verb) || verb === '*';
