import type { KilledRow } from '../killed-anywhere.ts';
import { partings } from '../mortal-transport.ts';

/** A kill, and whose plan it struck. */
export interface Kill extends KilledRow {
  readonly role: string;
}

/** True if the next caller converged as required. */
export const survived = ({ resumed, changesInThirdRun, ledgerTruthful, sameEnd }: KilledRow): boolean =>
  resumed === 'converged' && changesInThirdRun === 0 && ledgerTruthful && sameEnd;

const INTRODUCTION = `# Killed anywhere

Every command of the whole plan of a host, from a freshly imaged Mac with every option turned on, is where the caller and
its host are parted once: the connection is lost before the command runs, while it runs or after it ran; the caller dies
and its lease goes stale; the host reboots. Then another caller starts the same plan, and a third after it.

A kill is survived when the second caller converges, the third changes nothing, the ledger never claimed what was not so,
and the Mac is the same in the end as after a run nobody disturbed: every file with its rights and owner, the loaded
filter, the session at the screen, the jobs of launchd. \`(engine)\` is what is sent between two steps: the look at
everything, the ledger with the lease, the reboot.

Written by \`npm run proofs -- killed-anywhere\`; a test repeats a part of it and fails when the plan has other commands than
this page.
`;

/** The table step × killed here × resumed, as a page. */
export function killedAnywherePage(kills: readonly Kill[]): string {
  const exceptions = kills.filter(kill => !survived(kill));
  return [
    INTRODUCTION,
    `${kills.length} kills, ${kills.length - exceptions.length} survived.\n`,
    '## By step\n',
    table(['plan', 'step', 'commands', ...partings, 'survived'], stepRows(kills)),
    '## What the first caller was left with\n',
    table(['parted', 'it saw', 'times'], firstRows(kills)),
    '## Exceptions\n',
    exceptions.length === 0 ? 'None.\n' : exceptions.map(kill => `- ${JSON.stringify(kill)}\n`).join(''),
  ].join('\n');
}

/** \`node (engine): 21\`: what the page says was enumerated. */
export const commandsOn = (page: string): string[] =>
  [...page.matchAll(/^\| (node|builder) \| (\S+) \| (\d+) \|/gm)].map(
    ([, plan, step, count]) => `${plan} ${step}: ${count}`,
  );

function stepRows(kills: readonly Kill[]): string[][] {
  const groups = Map.groupBy(kills, ({ role, step }) => `${role} ${step}`);
  return [...groups.values()].map(group => {
    const { role = '', step = '' } = group[0] ?? {};
    const commands = new Set(group.map(({ command }) => command)).size;
    const ways = partings.map(how => shareOf(group.filter(kill => kill.how === how)));
    return [role, step, String(commands), ...ways, shareOf(group)];
  });
}

const shareOf = (kills: readonly Kill[]): string => `${kills.filter(survived).length} of ${kills.length}`;

function firstRows(kills: readonly Kill[]): string[][] {
  const groups = Map.groupBy(kills, ({ how, first }) => `${how}|${first}`);
  return [...groups]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([key, group]) => [...key.split('|'), String(group.length)]);
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |\n`).join('');
