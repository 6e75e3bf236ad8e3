/** Finds every program asked for, from the first source that has it, and says why earlier sources were passed over. */
import { type Environment, readEnvironment } from '../environment.ts';
import { binaryUnavailable } from '../errors.ts';
import { type Reporter, silentReporter } from '../progress/reporter.ts';
import { openBinaryCache } from './binary-cache.ts';
import { withCacheLock } from './cache-lock.ts';
import { givenDirectory } from './given-directory.ts';
import { goBuild } from './go-build.ts';
import { officialDownload } from './official-download.ts';
import { PROGRAMS, type Program, type ProgramName } from './program.ts';
import type { BinarySource } from './source.ts';

export type BinarySources = {
  /** Tried first and without a lock: they only look. */
  readonly ready: readonly BinarySource[];
  /** Tried under the lock for what is still missing: they fill the cache. */
  readonly filling: readonly BinarySource[];
  readonly lockDirectory: string;
};

export type FindBinariesOptions<Name extends ProgramName> = {
  programs: readonly Name[];
  reporter?: Reporter;
  sources?: BinarySources;
};

/** Paths by program name. What had to be downloaded or built stays in the cache, one program at a time, so a cut-off run resumes. */
export async function findBinaries<Name extends ProgramName>(
  options: FindBinariesOptions<Name>,
): Promise<Record<Name, string>> {
  const { programs, reporter = silentReporter, sources = standardSources(readEnvironment()) } = options;
  const search = new BinarySearch(reporter, sources);
  const found = new Map<Name, string>();
  for (const name of programs) {
    const path = await search.look(PROGRAMS[name]);
    if (path !== undefined) found.set(name, path);
  }
  const missing = programs.filter(name => !found.has(name));
  if (missing.length > 0) {
    const paths = await search.fill(missing.map(name => PROGRAMS[name]));
    for (const [index, name] of missing.entries()) found.set(name, paths[index] ?? '');
  }
  return Object.fromEntries(found) as Record<Name, string>;
}

/** The order of the architecture: what a person named, the cache, official releases, a build. */
export function standardSources(environment: Environment): BinarySources {
  const cache = openBinaryCache(environment);
  const given = environment.givenDirectories.map(({ variable, directory }) => givenDirectory(variable, directory));
  return {
    ready: [...given, cache],
    // The cache again: another process may have filled it while we waited for the lock.
    filling: [cache, officialDownload({ environment, cache }), goBuild(environment, cache)],
    lockDirectory: cache.directory,
  };
}

class BinarySearch {
  readonly #reporter: Reporter;
  readonly #sources: BinarySources;
  readonly #reasons = new Map<ProgramName, Set<string>>();

  constructor(reporter: Reporter, sources: BinarySources) {
    this.#reporter = reporter;
    this.#sources = sources;
  }

  async look(program: Program): Promise<string | undefined> {
    const step = silentReporter.step('');
    for (const source of this.#sources.ready) {
      const answer = await source.find(program, step);
      if ('path' in answer) return answer.path;
      this.#passOver(program, answer.passedOver);
    }
    return undefined;
  }

  async fill(programs: readonly Program[]): Promise<string[]> {
    const waiting = this.#reporter.step('filling the cache of cluster programs');
    const work = async () => {
      waiting.done();
      const paths: string[] = [];
      for (const [index, program] of programs.entries()) {
        paths.push(await this.#fillOne(program, `${index + 1} of ${programs.length}`));
      }
      return paths;
    };
    const holder = (pid: number) => waiting.update(`process ${pid} is at it; waiting`);
    return withCacheLock(this.#sources.lockDirectory, holder, work);
  }

  async #fillOne(program: Program, position: string): Promise<string> {
    const step = this.#reporter.step(`${program.name} ${program.version} (${position})`);
    try {
      for (const source of this.#sources.filling) {
        const answer = await source.find(program, step);
        if ('path' in answer) {
          step.done(`${source.origin}; ${this.#reasonsFor(program).join('; ')}`);
          return answer.path;
        }
        this.#passOver(program, answer.passedOver);
      }
      throw binaryUnavailable(program.name, this.#reasonsFor(program));
    } catch (error) {
      step.failed(`${error instanceof Error ? error.message : String(error)}; ${this.#reasonsFor(program).join('; ')}`);
      throw error;
    }
  }

  #passOver(program: Program, reason: string): void {
    const reasons = this.#reasons.get(program.name) ?? new Set<string>();
    this.#reasons.set(program.name, reasons.add(reason));
  }

  #reasonsFor(program: Program): string[] {
    return [...(this.#reasons.get(program.name) ?? [])];
  }
}
