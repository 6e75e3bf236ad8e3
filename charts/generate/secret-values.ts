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
      'Who makes the Secret. `existing`: you. `plain`: this chart, from `plain`. `external`: the External Secrets Operator, from `external`.',
    ),
    name: text('', 'Name of the Secret; a name made from that of the release unless given.'),
    plain: group(`What the Secret holds, key by key, for \`source: plain\`.`, plain),
    external: group('Where the operator finds it, for `source: external`.', {
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
    'Secret of the GitHub App: organisation permission “Self-hosted runners: read and write”, and nothing else.',
    item,
    {
      'app-id': 'the App’s id',
      'installation-id': 'the id of its installation',
      'private-key': 'its key, as PEM',
    },
  );
