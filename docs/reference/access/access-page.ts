import { canIArguments, impersonation, type Place, type Question, VERBS } from './account.ts';
import type { Granted } from './kubectl-answers.ts';
import type { Answer, RecordedAccess, RecordedAccount, Row } from './record-access.ts';
import type { Refusal } from './refusals.ts';

const INTRODUCTION = `<!-- Written by node docs/reference/access/write-access.ts from the answers of a real API server. Do not edit. -->
# Who may do what

Every account of ours, and what it may: the answers of \`kubectl auth can-i\` in a cluster with [config/rbac](../../config/rbac) and the chart's own account applied. A test asks again and fails when an answer differs, when RBAC gives an account a right that its table does not show, and when there is an account that is not here. To ask the same of your cluster, add who to any question: \`kubectl auth can-i delete nodes --as=system:serviceaccount:minifleet-system:minifleet-provider\`.

*everywhere* is the whole cluster at once (\`--all-namespaces\`). Of the namespaces, \`team-a\` stands for one with fleets and \`default\` for one that has nothing to do with us. A name after a resource: that object alone. Left out is what every account may do: discover kinds and ask about itself.
`;

/** docs/reference/access.md */
export const accessPage = (recorded: RecordedAccess): string =>
  [INTRODUCTION, ...recorded.accounts.map(section), refusalSection(recorded), trialSection(recorded)].join('\n');

function section({ account, rows, granted }: RecordedAccount): string {
  const more = besides(granted);
  return [
    `## ${account.name}\n`,
    `${account.about} Asked with \`${impersonation(account).join(' ')}\`.\n`,
    table(['resource', 'where', ...VERBS], rows.map(rowCells)),
    ...(more.length === 0 ? [] : ['\nBesides, by `kubectl auth can-i --list`:\n', ...more.map(right => `- ${right}`)]),
    '',
  ].join('\n');
}

const rowCells = ({ what, place, answers }: Row): string[] => [
  resourceCell(what),
  placeCell(place),
  ...answers.map(mark),
];

const mark = (answer: Answer): string => (answer === 'yes' ? '**yes**' : 'no');
const placeCell = (place: Place): string => (place === 'everywhere' ? place : `\`${place}\``);

function resourceCell(what: string): string {
  const [kind, name] = what.split(' ');
  return name === undefined ? `\`${kind}\`` : `\`${kind}\` \`${name}\``;
}

/** Verbs without a column, and paths. Signers are no kind of the API: `can-i` itself cannot be asked about them. */
function besides(granted: RecordedAccount['granted']): string[] {
  const lines = [...granted].flatMap(([, all]) =>
    all.flatMap(one => {
      const verbs = one.paths.length > 0 ? one.verbs : one.verbs.filter(verb => !VERBS.some(column => column === verb));
      return verbs.length === 0 ? [] : [besideLine({ ...one, verbs })];
    }),
  );
  return [...new Set(lines)];
}

const besideLine = ({ verbs, resource, paths, names }: Granted): string =>
  [verbs, [resource], paths, names]
    .flat()
    .filter(word => word !== '')
    .map(word => `\`${word}\``)
    .join(' ');

function refusalSection({ accounts, refusals }: RecordedAccess): string {
  const names = accounts.map(({ account }) => account.name);
  const reasons = refusals.flatMap(({ refusal }) => reasonsFor(refusal));
  return [
    '## What is refused\n',
    'Asked of every account; where one may all the same, the reason stands below.\n',
    table(
      ['`kubectl auth can-i`', ...names],
      refusals.map(({ refusal, answers }) => [asked(refusal), ...answers.map(mark)]),
    ),
    ...(reasons.length === 0 ? [] : ['', ...reasons]),
    '',
  ].join('\n');
}

const reasonsFor = (refusal: Refusal): string[] =>
  Object.entries(refusal.except ?? {}).map(([who, why]) => `- ${asked(refusal)}, ${who}: ${why}`);

const asked = (question: Question): string => `\`${canIArguments(question).join(' ')}\``;

const TRIED = `## What \`can-i\` does not see

It asks the authorizers, and not what comes after them: NodeRestriction holds a node to its own objects, and [pod-finalizers.yaml](../../config/rbac/pod-finalizers.yaml) lets the provider take one finalizer off a Pod and change nothing else. Tried, as dry runs of the server, in its words:
`;

const trialSection = ({ trials }: RecordedAccess): string =>
  [
    TRIED,
    table(
      ['who', '`kubectl`', ''],
      trials.map(({ trial, said }) => [trial.by.name, `\`${trial.argv.join(' ')}\``, said]),
    ),
    '',
  ].join('\n');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
