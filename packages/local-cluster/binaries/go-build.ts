/** Builds programs from published Go modules, pinned by the go.mod and go.sum files under `go/`, into the cache. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { Environment } from '../environment.ts';
import { buildFailed, goMissing } from '../errors.ts';
import { startProcess } from '../processes/start-process.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import type { ProgressStep } from '../progress/reporter.ts';
import type { BinaryCache } from './binary-cache.ts';
import { type GoRecipe, linkerFlags, type ModuleFilesRecipe, type Program } from './program.ts';
import type { BinarySource } from './source.ts';

const MODULES = path.join(import.meta.dirname, '..', 'go');
const LAST_LINES = 15;

type Go = (folder: string, ...goArguments: string[]) => Promise<string>;

export function goBuild(environment: Environment, cache: BinaryCache): BinarySource {
  return {
    origin: 'built by go',
    async find(program, step) {
      const go = goCommand(environment, program, step);
      const { recipe } = program;
      const file = await cache.store(program, beside =>
        recipe.kind === 'go' ? buildProgram(go, recipe, beside) : copyManifests(go, recipe, beside),
      );
      return { path: file };
    },
  };
}

async function buildProgram(go: Go, recipe: GoRecipe, file: string): Promise<void> {
  const flags = ['-trimpath', '-mod=readonly', '-buildvcs=false', '-v', '-ldflags', linkerFlags(recipe)];
  await go(recipe.folder, 'build', ...flags, '-o', file, recipe.package);
}

/** The manifests as JSON: parsing a megabyte of YAML at each start would cost more than starting etcd. */
async function copyManifests(go: Go, recipe: ModuleFilesRecipe, file: string): Promise<void> {
  await go(recipe.folder, 'mod', 'download', recipe.module);
  const output = await go(recipe.folder, 'list', '-m', '-f', '{{.Dir}}', recipe.module);
  const folder = path.join(output.trim(), recipe.crds);
  const names = recipe.only ?? (await readdir(folder)).filter(name => name.endsWith('.yaml')).sort();
  const crds = await Promise.all(names.map(async name => parse(await readFile(path.join(folder, name), 'utf8'))));
  const webhooks = recipe.webhooks ? await readFile(path.join(output.trim(), recipe.webhooks), 'utf8') : '';
  const documents = webhooks.split(/^---$/m).filter(text => text.trim() !== '');
  await writeFile(file, JSON.stringify({ crds, webhooks: documents.map(text => parse(text)) }));
}

/** Runs go where a module's go.mod is. Its output doubles as progress; the build dies with us. */
function goCommand(environment: Environment, program: Program, step: ProgressStep): Go {
  return async (folder, ...goArguments) => {
    const lines: string[] = [];
    const watchdog = startWatchdog();
    try {
      const go = await startProcess({
        argv: ['go', ...goArguments],
        environment: { ...environment.variables, CGO_ENABLED: '0' },
        directory: path.join(MODULES, folder),
        watchdog,
        output: {
          eachLine(line) {
            lines.push(line);
            // What go itself says (downloads, errors) begins with its name; the rest are packages as they are compiled.
            const packages = lines.filter(each => !each.startsWith('go: ')).length;
            step.update(`${packages} packages compiled, now ${line}`);
          },
        },
      });
      const { code } = await go.exited;
      if (code === 127) throw goMissing(program.name, lines.join('\n'));
      if (code !== 0) throw buildFailed(program.name, lines.slice(-LAST_LINES).join('\n'));
      return lines.join('\n');
    } finally {
      await watchdog.close();
    }
  };
}
