import type { KillRow } from './kill-rows.ts';

/** What came of a row. */
export interface KillOutcome {
  readonly row: KillRow;
  /** How many agents died where they were told to. */
  readonly killed: number;
  /** Every phase and exit the API server was told, in order; `gone` at the end. */
  readonly seen: readonly string[];
  /** How often the Pod’s process ran. */
  readonly runs: number;
  /** What is there though the Pod is gone, and what is gone though it was not ours. */
  readonly left: readonly string[];
}

/** What is wrong with it; nothing when it was survived. */
export function faultsOf({ row, killed, seen, runs, left }: KillOutcome): string[] {
  const terminal = seen.filter(isTerminal);
  return [
    ...(killed === row.at.length ? [] : [`${killed} of ${row.at.length} agents came to their point`]),
    ...(terminal.length === 1 && terminal[0] === row.told ? [] : [`told: ${seen.join(', ')}; wanted ${row.told}`]),
    ...(seen.at(-1) === 'gone' && seen.at(-2) === terminal[0] ? [] : ['something came after the terminal status']),
    ...(runs === 1 ? [] : [`ran ${runs} times`]),
    ...left,
  ];
}

export const isTerminal = (words: string): boolean => /^(Succeeded|Failed)/.test(words);

/** `kill -9` of whom and where. */
export const nameOf = ({ at, also, deleted }: KillRow): string => {
  const agents = at.map((point, index) => `${index === 0 ? 'the agent' : 'the next agent'} ${point}`).join(', then ');
  const beside = also === undefined ? '' : `${also} while the guest runs`;
  const whose = deleted === 'while it runs' && also === undefined ? ', of a Pod deleted while it runs' : '';
  return `${[beside, agents].filter(Boolean).join('; ')}${whose}`;
};

const INTRODUCTION = `# The node agent, killed

A single-shot Pod (\`restartPolicy: Never\`) lives its whole life, the pull of its image included, on a simulated Mac and a real API server, and the agent is
ended by \`kill -9\` once before and once after every durable write of its own, every call of Tart and every write to the API
server; then another agent is started. Some are killed while they put right what the one before left, or beside a supervisor,
\`tart run\` or the API server itself, which is started again. The Pod’s process ends with 5 by itself, or with 7 when it is asked to because the
Pod was deleted.

A kill is survived when the API server was told one terminal status, the right one, and nothing after it; the process ran
once; and when the Pod is gone, nothing of it is left: no VM, no process, no folder, no slot. Its image stays. A VM that somebody else runs
on the same Mac is still running.

Kills of a supervisor at each of its own writes, of \`tart run\`, and of both at once, with an agent that stands for the API
server: \`packages/tart-kubelet/guests/kill-table.contract.test.ts\`.

Written by \`npm run proofs -- agent-killed\`; a test repeats all of it and fails when a life has a
point that is not in this table.
`;

export function killedPage(outcomes: readonly KillOutcome[]): string {
  const survived = outcomes.filter(outcome => faultsOf(outcome).length === 0);
  return [
    INTRODUCTION,
    `${outcomes.length} kills, ${survived.length} survived.\n`,
    '| kill -9 of | told in the end | runs | left behind |',
    '|---|---|---|---|',
    ...outcomes.map(rowOf),
    '',
  ].join('\n');
}

const rowOf = ({ row, seen, runs, left }: KillOutcome): string =>
  `| ${nameOf(row)} | ${seen.filter(isTerminal).join(', ')} | ${runs} | ${left.join(', ') || 'nothing'} |`;

/** The rows a page has. */
export const namesOn = (page: string): string[] =>
  [...page.matchAll(/^\| (?!kill -9 of)(.*?) \| /gm)].map(([, name = '']) => name);
