import { choice, type Fields, type Group, group, map, text } from './value.ts';

/**
 * A Secret of the chart: one that you created (`existing`), one created from values (`plain`), or one that the External
 * Secrets Operator maintains (`external`). The keys are the same in all three cases.
 */
export function secretValues(says: string, item: string, keys: Readonly<Record<string, string>>): Group {
  const plain: Fields = Object.fromEntries(
    Object.entries(keys).map(([key, what]) => [key, text('', `For \`source: plain\`: ${what}.`)]),
  );
  return group(says, {
    source: choice(
      ['existing', 'plain', 'external'],
      'Source of the Secret. `existing`: you create it. `plain`: the chart creates it from `plain`. `external`: the External Secrets Operator creates it from `external`.',
    ),
    name: text('', 'Name of the Secret (default: derived from the release name).'),
    plain: group(`Content of the Secret by key, for \`source: plain\`.`, plain),
    external: group('Location in the store, for `source: external`.', {
      item: text(item, 'Key of the item in the store.'),
      fields: map(
        Object.fromEntries(Object.keys(keys).map(key => [key, key])),
        'Field of the item for each key of the Secret.',
        { additionalProperties: { type: 'string' } },
      ),
    }),
  });
}

export const githubApp = (item: string): Group =>
  secretValues(
    'Secret of the GitHub App: organisation permission “Self-hosted runners: read and write”, and no other permission.',
    item,
    {
      'app-id': 'App id',
      'installation-id': 'installation id',
      'private-key': 'private key in PEM',
    },
  );
