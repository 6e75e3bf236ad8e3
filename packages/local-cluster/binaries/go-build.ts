/** Builds programs from published Go modules, pinned by the go.mod and go.sum files under `go/`, into the cache. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { Environment } from '../environment.ts';
import { buildFailed } from '../errors.ts';
import { findGo, type GoCommand } from '../go-toolchain/go-toolchain.ts';
import { startProcess } from '../processes/start-process.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import type { ProgressStep } from '../progress/reporter.ts';
import type { BinaryCache } from './binary-cache.ts';
import { type GoRecipe, linkerFlags, type ModuleFilesRecipe, type Program } from './program.ts';
import type { BinarySource } from './source.ts';

const MODULES = path.join(import.meta.dirname, '..', 'go');
const LAST_LINES = 15;

type Go = (folder: string, ...goArguments: string[]) => Promise<string>;

/** Builds a program with the installed go, or with a toolchain that is downloaded for the first program. */
export function goBuild(environment: Environment, cache: BinaryCache): BinarySource {
  let command: Promise<GoCommand> | undefined;
  return {
    origin: 'built from source',
    expectedSeconds: program => program.buildSeconds,
    async find(program, { step, reporter }) {
      command ??= findGo(environment, reporter);
      const go = runGo(await command, program, step);
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

/** Writes the manifests as JSON: parsing a megabyte of YAML at each start would take longer than starting etcd. */
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

/** Runs go in the folder of a go.mod. Its output is shown as progress. The build ends with this process. */
function runGo({ program: go, variables }: GoCommand, program: Program, step: ProgressStep): Go {
  return async (folder, ...goArguments) => {
    const lines: string[] = [];
    const watchdog = startWatchdog();
    try {
      const { exited } = await startProcess({
        argv: [go, ...goArguments],
        environment: { ...variables, CGO_ENABLED: '0' },
        directory: path.join(MODULES, folder),
        watchdog,
        output: {
          eachLine(line) {
            lines.push(line);
            step.update(describeBuild(lines));
          },
        },
      });
      const { code } = await exited;
      if (code !== 0) throw buildFailed(program.name, lines.slice(-LAST_LINES).join('\n'));
      return lines.join('\n');
    } finally {
      await watchdog.close();
    }
  };
}

/** Lines of go itself (downloads, errors) begin with its name. The others are packages, as they are compiled. */
function describeBuild(lines: readonly string[]): string {
  const packages = lines.filter(line => !line.startsWith('go: ')).length;
  return packages === 0 ? 'downloading modules' : `${packages} packages compiled`;
}
