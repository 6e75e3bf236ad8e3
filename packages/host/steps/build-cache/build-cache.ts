import { minutes } from '@minifleet/clock';
import { drift, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostView } from '../../host.ts';

/**
 * Our lines in /etc/zshenv, the only file a zsh reads that is neither a login shell nor interactive. Everything else in
 * it is somebody else's and is kept to the byte.
 */
export const BEGIN = '# BEGIN minifleet.build-cache';
export const END = '# END minifleet.build-cache';

interface ShellExport {
  readonly variable: string;
  readonly directory: string;
}

const BLOCK = new RegExp(`^${BEGIN}\\n(?:(?!${BEGIN}$|${END}$).*\\n)*${END}(?:\\n|$)`, 'gm');
/** Half a block, which someone left: only the mark itself is ours for certain. */
const STRAY_MARK = new RegExp(`^(?:${BEGIN}|${END})(?:\\n|$)`, 'gm');

/** `export NAME=…` or `NAME=…` on a line of its own, as a script without marks appended it. */
const lineOf = (variable: string): RegExp => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${variable}=.*(?:\\n|$)`, 'gm');

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export const exportLine = ({ variable, directory }: ShellExport): string =>
  `export ${variable}=${/^[\w./-]+$/.test(directory) ? directory : `'${directory.replaceAll("'", `'\\''`)}'`}`;

const blockOf = (wanted: ShellExport): string => `${BEGIN}\n${exportLine(wanted)}\n${END}\n`;

/** Takes out our block in every form it may have, and every other line that sets the variable. */
export const withoutExport = (text: string, variable: string): string =>
  text.replace(BLOCK, '').replace(STRAY_MARK, '').replace(lineOf(variable), '');

/** With our block exactly once. It stands first: whatever follows, a last line without an end included, stays as it is. */
export const withExport = (text: string, wanted: ShellExport): string =>
  isExact(text, wanted) ? text : `${blockOf(wanted)}${withoutExport(text, wanted.variable)}`;

const isExact = (text: string, wanted: ShellExport): boolean => exportDifferences(text, wanted).length === 0;

/** How the file differs from holding our block exactly once, in words. */
export function exportDifferences(text: string, wanted: ShellExport): string[] {
  const blocks = text.match(BLOCK) ?? [];
  const rest = text.replace(BLOCK, '');
  const unmarked = countOf(rest, lineOf(wanted.variable));
  const [only] = blocks;
  return [
    ...(blocks.length === 1 ? [] : [`/etc/zshenv contains the block ${times(blocks.length)}, expected once`]),
    ...(blocks.length === 1 && only !== blockOf(wanted)
      ? [`the block in /etc/zshenv is not ${exportLine(wanted)}`]
      : []),
    ...(unmarked === 0 ? [] : [`/etc/zshenv sets ${wanted.variable} ${times(unmarked)} outside the block`]),
    ...(countOf(rest, STRAY_MARK) === 0 ? [] : ['/etc/zshenv contains half a block']),
  ];
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** What our block exports, if it is there and readable. */
export function exportIn(text: string): ShellExport | undefined {
  const block = text.match(BLOCK)?.[0] ?? '';
  const found = /^export (\w+)=(?:'([^']*)'|([\w./-]+))$/m.exec(block);
  return found ? { variable: found[1] ?? '', directory: found[2] ?? found[3] ?? '' } : undefined;
}

interface BuildCacheSettings {
  /** `/opt/tuist-build-cache`. Only one below /opt is removed again when the step is turned off. */
  readonly directory: string;
  /** `TUIST_MIX_BUILD_ROOT`. */
  readonly variable: string;
  /** The account jobs run under. */
  readonly owner: string;
}

const ZSHENV = { path: '/etc/zshenv', mode: 0o644, owner: 'root:wheel' };
const DIRECTORY_MODE = '755';
/** What the lines without marks set, on hosts of before. */
const LEGACY_VARIABLE = 'TUIST_MIX_BUILD_ROOT';

/** A folder that outlives a job's workspace, and the variable that tells every job's shell of it. */
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
    // The folder first: a job that reads the variable finds it.
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
      // The folder first: its name is known only from the block.
      const directory = exportIn(text)?.directory;
      const notes = directory === undefined ? [] : await removeFolder(host, directory);
      await host.editText(ZSHENV, before => withoutExport(before, exportIn(before)?.variable ?? LEGACY_VARIABLE));
      return notes;
    },
  },
} satisfies StepDefinition<BuildCacheSettings>;

/** `Directory m1:staff 755`, or nothing. */
async function ownerOf(host: HostView, directory: string): Promise<string> {
  return (await host.query(['/usr/bin/stat', '-f', '%HT %Su:%Sg %Lp', directory], { root: true })).stdout.trim();
}

function folderDifferences(found: string, { directory, owner }: BuildCacheSettings): string[] {
  if (found === '') return [`${directory} is missing`];
  const wanted = `Directory ${owner}:staff ${DIRECTORY_MODE}`;
  return found === wanted ? [] : [`${directory} is ${found}, expected ${wanted}`];
}

async function leftovers(host: HostView): Promise<string[]> {
  const text = (await host.readText(ZSHENV.path)) ?? '';
  const exported = exportIn(text);
  const variable = exported?.variable ?? LEGACY_VARIABLE;
  if (withoutExport(text, variable) === text) return [];
  return [`/etc/zshenv sets ${variable}${exported ? ` to ${exported.directory}` : ''}, expected no such line`];
}

/** What a file on the host names is not removed wherever it may lie. */
async function removeFolder(host: Host, directory: string): Promise<string[]> {
  if (!/^\/opt\/[\w.-]*\w[\w.-]*$/.test(directory))
    return [`kept ${directory}: only a directory below /opt is removed`];
  await host.remove(directory);
  return [`removed ${directory}`];
}
