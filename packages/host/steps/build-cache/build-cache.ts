import { minutes } from '@minifleet/clock';
import { drift, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostView } from '../../host.ts';
import { exportDifferences, exportIn, withExport, withoutExport } from './zshenv.ts';

export interface BuildCache {
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
const VARIABLE_OF_OLD = 'TUIST_MIX_BUILD_ROOT';

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
      await host.editText(ZSHENV, before => withoutExport(before, exportIn(before)?.variable ?? VARIABLE_OF_OLD));
      return notes;
    },
  },
} satisfies StepDefinition<BuildCache>;

/** `Directory m1:staff 755`, or nothing. */
async function ownerOf(host: HostView, directory: string): Promise<string> {
  return (await host.look(['/usr/bin/stat', '-f', '%HT %Su:%Sg %Lp', directory], { root: true })).stdout.trim();
}

function folderDifferences(found: string, { directory, owner }: BuildCache): string[] {
  if (found === '') return [`${directory} is not there`];
  const wanted = `Directory ${owner}:staff ${DIRECTORY_MODE}`;
  return found === wanted ? [] : [`${directory} is ${found}, wanted ${wanted}`];
}

async function leftovers(host: HostView): Promise<string[]> {
  const text = (await host.readText(ZSHENV.path)) ?? '';
  const exported = exportIn(text);
  const variable = exported?.variable ?? VARIABLE_OF_OLD;
  if (withoutExport(text, variable) === text) return [];
  return [`/etc/zshenv sets ${variable}${exported ? ` to ${exported.directory}` : ''}, wanted nothing`];
}

/** What a file on the host names is not removed wherever it may lie. */
async function removeFolder(host: Host, directory: string): Promise<string[]> {
  if (!/^\/opt\/[\w.-]*\w[\w.-]*$/.test(directory)) return [`left ${directory}: only a folder below /opt is removed`];
  await host.remove(directory);
  return [`removed ${directory}`];
}
