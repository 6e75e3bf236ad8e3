import { canIArguments, impersonation, type Place, type Question, VERBS } from './account.ts';
import type { Granted } from './kubectl-answers.ts';
import type { Answer, RecordedAccess, RecordedAccount, Row } from './record-access.ts';
import type { Refusal } from './refusals.ts';

const INTRODUCTION = `<!-- Written by node docs/reference/access/write-access.ts from the answers of a real API server. Do not edit. -->
# Permissions

This page lists the permissions of every Minifleet account, as \`kubectl auth can-i\` reports them in a cluster with [config/rbac](../../config/rbac) and the chart's account. A test repeats the queries. It fails when an answer differs, when RBAC grants a permission that no table shows, or when an account is missing here. To query your own cluster, impersonate the account: \`kubectl auth can-i delete nodes --as=system:serviceaccount:minifleet-system:minifleet-provider\`.

*everywhere* means all namespaces in one request (\`--all-namespaces\`). \`team-a\` is a namespace with fleets. \`default\` is a namespace that Minifleet does not use. A name after a resource limits the row to that object. Permissions that every account has (discovery and reviews of its own access) are left out.
`;

/** docs/reference/access.md */
export const accessPage = (recorded: RecordedAccess): string =>
  [INTRODUCTION, ...recorded.accounts.map(section), refusalSection(recorded), trialSection(recorded)].join('\n');

function section({ account, rows, granted }: RecordedAccount): string {
  const more = besides(granted);
  return [
    `## ${account.name}\n`,
    `${account.about} Queried with \`${impersonation(account).join(' ')}\`.\n`,
    table(['resource', 'where', ...VERBS], rows.map(rowCells)),
    ...(more.length === 0
      ? []
      : ['\nIn addition, `kubectl auth can-i --list` reports:\n', ...more.map(permission => `- ${permission}`)]),
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

/** Verbs without a column, and paths. Signers are not an API resource, so `can-i` cannot check them. */
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
    '## Denied requests\n',
    'Every account is checked. The reason for each exception is below the table.\n',
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

const TRIED = `## Denied by admission

\`can-i\` checks authorization only. Admission denies more: NodeRestriction limits a node to its own objects, and [pod-finalizers.yaml](../../config/rbac/pod-finalizers.yaml) lets the provider remove one finalizer of a Pod and change nothing else. These requests were sent as server-side dry runs:
`;

const trialSection = ({ trials }: RecordedAccess): string =>
  [
    TRIED,
    table(
      ['account', '`kubectl`', 'result'],
      trials.map(({ trial, said }) => [trial.by.name, `\`${trial.argv.join(' ')}\``, said]),
    ),
    '',
  ].join('\n');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
