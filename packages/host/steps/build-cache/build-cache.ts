import { minutes } from '@minifleet/clock';
import { drift, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostView } from '../../host.ts';

/**
 * Lines in /etc/zshenv, the only file that a non-login, non-interactive zsh reads. All other lines are preserved byte
 * by byte.
 */
export const BEGIN = '# BEGIN minifleet.build-cache';
export const END = '# END minifleet.build-cache';

interface ShellExport {
  readonly variable: string;
  readonly directory: string;
}

const BLOCK = new RegExp(`^${BEGIN}\\n(?:(?!${BEGIN}$|${END}$).*\\n)*${END}(?:\\n|$)`, 'gm');
/** Half a block: only the marker itself certainly belongs to Minifleet. */
const STRAY_MARK = new RegExp(`^(?:${BEGIN}|${END})(?:\\n|$)`, 'gm');

/** `export NAME=…` or `NAME=…` on its own line, as appended by a script without markers. */
const lineOf = (variable: string): RegExp => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${variable}=.*(?:\\n|$)`, 'gm');

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export const exportLine = ({ variable, directory }: ShellExport): string =>
  `export ${variable}=${/^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", `'\\''`)}'`}`;

const blockOf = (desired: ShellExport): string => `${BEGIN}\n${exportLine(desired)}\n${END}\n`;

/** Removes the block in every known form and all other lines that set the variable. */
export const withoutExport = (text: string, variable: string): string =>
  text.replace(BLOCK, '').replace(STRAY_MARK, '').replace(lineOf(variable), '');

/**
 * Adds the block exactly once, at the start: everything after it is preserved, including a last line without line end.
 */
export const withExport = (text: string, desired: ShellExport): string =>
  isExact(text, desired) ? text : `${blockOf(desired)}${withoutExport(text, desired.variable)}`;

const isExact = (text: string, desired: ShellExport): boolean => exportDifferences(text, desired).length === 0;

/** Differences from a file that contains the block exactly once. */
export function exportDifferences(text: string, desired: ShellExport): string[] {
  const blocks = text.match(BLOCK) ?? [];
  const rest = text.replace(BLOCK, '');
  const unmarked = countOf(rest, lineOf(desired.variable));
  const [only] = blocks;
  return [
    ...(blocks.length === 1 ? [] : [`/etc/zshenv contains the block ${times(blocks.length)}, expected once`]),
    ...(blocks.length === 1 && only !== blockOf(desired)
      ? [`the block in /etc/zshenv is not ${exportLine(desired)}`]
      : []),
    ...(unmarked === 0 ? [] : [`/etc/zshenv sets ${desired.variable} ${times(unmarked)} outside the block`]),
    ...(countOf(rest, STRAY_MARK) === 0 ? [] : ['/etc/zshenv contains half a block']),
  ];
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Variable and directory of the block, if it is present and readable. */
export function exportIn(text: string): ShellExport | undefined {
  const block = text.match(BLOCK)?.[0] ?? '';
  const found = /^export (\w+)=(?:'([^']*)'|([\w./-]+))$/m.exec(block);
  return found ? { variable: found[1] ?? '', directory: found[2] ?? found[3] ?? '' } : undefined;
}

interface BuildCacheSettings {
  /** `/opt/tuist-build-cache`. Removed again only if it is below /opt. */
  readonly directory: string;
  /** `TUIST_MIX_BUILD_ROOT`. */
  readonly variable: string;
  /** Account that runs jobs. */
  readonly owner: string;
}

const ZSHENV = { path: '/etc/zshenv', mode: 0o644, owner: 'root:wheel' };
const DIRECTORY_MODE = '755';
/** Variable set by the lines without markers on older hosts. */
const LEGACY_VARIABLE = 'TUIST_MIX_BUILD_ROOT';

/** Directory that outlives the workspace of a job, and the variable that announces it to the shell of every job. */
export const buildCache = {
  id: 'build-cache',
  title: 'build cache',
  disturbs: 'nothing',
  timeout: minutes(5),
  async inspect(host, want) {
    const [folder, zshenv] = await Promise.all([ownerOf(host, want.directory), host.readText(ZSHENV.path)]);
    return drift([...folderDifferences(folder, want), ...exportDifferences(zshenv ?? '', want)]);
  },
  async change(host, want) {
    // Directory first: a job that reads the variable must find it.
    await host.must(['/usr/bin/install', '-d', '-o', want.owner, '-g', 'staff', '-m', DIRECTORY_MODE, want.directory], {
      root: true,
    });
    await host.editText(ZSHENV, text => withExport(text, want));
    return [];
  },
  removal: {
    async inspect(host) {
      return drift(await leftovers(host));
    },
    async change(host) {
      const text = (await host.readText(ZSHENV.path)) ?? '';
      // Directory first: its name is known only from the block.
      const directory = exportIn(text)?.directory;
      const notes = directory === undefined ? [] : await removeFolder(host, directory);
      const rest = (before: string): string => withoutExport(before, exportIn(before)?.variable ?? LEGACY_VARIABLE);
      // macOS comes without this file.
      if (rest(text) === '') await host.remove(ZSHENV.path);
      else await host.editText(ZSHENV, rest);
      return notes;
    },
  },
} satisfies StepDefinition<BuildCacheSettings>;

/** `Directory m1:staff 755`, or an empty string. */
async function ownerOf(host: HostView, directory: string): Promise<string> {
  return (await host.query(['/usr/bin/stat', '-f', '%HT %Su:%Sg %Lp', directory], { root: true })).stdout.trim();
}

function folderDifferences(found: string, { directory, owner }: BuildCacheSettings): string[] {
  if (found === '') return [`${directory} is missing`];
  const desired = `Directory ${owner}:staff ${DIRECTORY_MODE}`;
  return found === desired ? [] : [`${directory} is ${found}, expected ${desired}`];
}

async function leftovers(host: HostView): Promise<string[]> {
  const text = (await host.readText(ZSHENV.path)) ?? '';
  const exported = exportIn(text);
  const variable = exported?.variable ?? LEGACY_VARIABLE;
  if (withoutExport(text, variable) === text) return [];
  return [`/etc/zshenv sets ${variable}${exported ? ` to ${exported.directory}` : ''}, expected no such line`];
}

/** A path from a file on the host is removed only below /opt. */
async function removeFolder(host: Host, directory: string): Promise<string[]> {
  if (!/^\/opt\/[\w.-]*\w[\w.-]*$/.test(directory))
    return [`kept ${directory}: only a directory below /opt is removed`];
  await host.remove(directory);
  return [`removed ${directory}`];
}
