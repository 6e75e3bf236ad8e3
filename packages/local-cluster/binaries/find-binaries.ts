/** Finds programs, each in the first source that has it, and fills the cache with those that were missing. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { type Environment, readEnvironment } from '../environment.ts';
import { binaryUnavailable } from '../errors.ts';
import { type ProgressStep, type Reporter, silentReporter } from '../progress/reporter.ts';
import { openBinaryCache } from './binary-cache.ts';
import { withCacheLock } from './cache-lock.ts';
import { goBuild } from './go-build.ts';
import { officialDownload } from './official-download.ts';
import { PROGRAMS, type Program, type ProgramName } from './program.ts';
import type { BinarySource } from './source.ts';

type BinarySources = {
  /** Searched first and without a lock, because they write nothing. */
  readonly ready: readonly BinarySource[];
  /** Searched under the lock for what is still missing. They fill the cache. */
  readonly filling: readonly BinarySource[];
  readonly lockDirectory: string;
};

export type FindBinariesOptions<Name extends ProgramName> = {
  programs: readonly Name[];
  reporter?: Reporter;
  sources?: BinarySources;
  /** Milliseconds, only ever subtracted. */
  now?: () => number;
};

/** Returns paths by program name. Each downloaded or built program is cached at once, so an interrupted run resumes. */
export async function findBinaries<Name extends ProgramName>(
  options: FindBinariesOptions<Name>,
): Promise<Record<Name, string>> {
  const { programs, reporter = silentReporter, sources = standardSources(readEnvironment()) } = options;
  const search = new BinarySearch(reporter, sources, options.now ?? Date.now);
  const found = new Map<Name, string>();
  for (const name of programs) {
    const path = await search.lookUp(PROGRAMS[name]);
    if (path !== undefined) found.set(name, path);
  }
  const missing = programs.filter(name => !found.has(name));
  if (missing.length > 0) {
    const paths = await search.fill(missing.map(name => PROGRAMS[name]));
    for (const [index, name] of missing.entries()) found.set(name, paths[index] ?? '');
  }
  return Object.fromEntries(found) as Record<Name, string>;
}

/** Returns the path of a program that needs neither a download nor a build. */
export function findReadyBinary(name: ProgramName): Promise<string | undefined> {
  const sources = standardSources(readEnvironment());
  return new BinarySearch(silentReporter, sources, Date.now).lookUp(PROGRAMS[name]);
}

/** Directories that the user named, then the cache, official releases, and a build (docs/adr/0001-real-kubernetes.md). */
export function standardSources(environment: Environment): BinarySources {
  const cache = openBinaryCache(environment);
  const given = environment.givenDirectories.map(({ variable, directory }) => givenDirectory(variable, directory));
  return {
    ready: [...given, cache],
    // The cache again, because another process may have filled it while this one waited for the lock.
    filling: [cache, officialDownload({ environment, cache }), goBuild(environment, cache)],
    lockDirectory: cache.directory,
  };
}

class BinarySearch {
  readonly #reporter: Reporter;
  readonly #sources: BinarySources;
  readonly #now: () => number;
  readonly #reasons = new Map<ProgramName, Set<string>>();
  readonly #noted = new Set<string>();

  constructor(reporter: Reporter, sources: BinarySources, now: () => number) {
    this.#reporter = reporter;
    this.#sources = sources;
    this.#now = now;
  }

  /** Searches the sources that need no lock. */
  async lookUp(program: Program): Promise<string | undefined> {
    return this.#search(program, this.#sources.ready, silentReporter.step(''));
  }

  /** Fills the cache, one program after the other, while no other process does. */
  async fill(programs: readonly Program[]): Promise<string[]> {
    const waiting = this.#reporter.step('cluster programs');
    const work = async () => {
      waiting.done(`${programs.length} to download or build, once`);
      const estimate = new Estimate(this.#sources.filling, programs, this.#now);
      const paths: string[] = [];
      for (const [index, program] of programs.entries()) {
        const title = `${program.name} ${program.version} (${index + 1} of ${programs.length})`;
        paths.push(await this.#fillOne(program, this.#reporter.step(title), estimate));
        estimate.completed();
      }
      return paths;
    };
    const onWait = (pid: number) => waiting.update(`waiting for process ${pid}, which is filling the cache`);
    return withCacheLock(this.#sources.lockDirectory, onWait, work);
  }

  async #fillOne(program: Program, step: ProgressStep, estimate: Estimate): Promise<string> {
    const withEstimate = { ...step, update: (detail: string) => step.update(`${detail}; ${estimate.remaining()}`) };
    step.update(estimate.remaining());
    try {
      const path = await this.#search(program, this.#sources.filling, withEstimate);
      if (path === undefined) throw binaryUnavailable(program.name, [...(this.#reasons.get(program.name) ?? [])]);
      return path;
    } catch (error) {
      // The caller shows the error.
      step.failed('failed');
      throw error;
    }
  }

  async #search(program: Program, sources: readonly BinarySource[], step: ProgressStep): Promise<string | undefined> {
    for (const source of sources) {
      const result = await source.find(program, { step, reporter: this.#reporter });
      if ('path' in result) {
        step.done(source.origin);
        return result.path;
      }
      this.#passOver(program, result.passedOver, result.expected ?? false);
    }
    return undefined;
  }

  /** Keeps every reason for the error, and shows each unexpected one once, not once for each program. */
  #passOver(program: Program, reason: string, expected: boolean): void {
    const reasons = this.#reasons.get(program.name) ?? new Set<string>();
    this.#reasons.set(program.name, reasons.add(reason));
    if (expected || this.#noted.has(reason)) return;
    this.#noted.add(reason);
    this.#reporter.note(`  ${reason}; building from source`);
  }
}

/** Estimates what remains from the sources' expectations, scaled by the speed of this machine so far. */
class Estimate {
  readonly #sources: readonly BinarySource[];
  readonly #remaining: Program[];
  readonly #now: () => number;
  readonly #started: number;
  #startedProgram: number;
  #expectedSoFar = 0;

  constructor(sources: readonly BinarySource[], programs: readonly Program[], now: () => number) {
    this.#sources = sources;
    this.#remaining = [...programs];
    this.#now = now;
    this.#started = now();
    this.#startedProgram = this.#started;
  }

  completed(): void {
    const program = this.#remaining.shift();
    if (program) this.#expectedSoFar += this.#expected(program);
    this.#startedProgram = this.#now();
  }

  remaining(): string {
    const elapsed = (this.#startedProgram - this.#started) / 1_000;
    // Short programs say little about the machine's speed.
    const pace = this.#expectedSoFar > 20 ? elapsed / this.#expectedSoFar : 1;
    const [current = 0, ...others] = this.#remaining.map(program => this.#expected(program) * pace);
    const rest = Math.max(0, current - (this.#now() - this.#startedProgram) / 1_000);
    return formatRemaining(others.reduce((sum, each) => sum + each, rest));
  }

  #expected(program: Program): number {
    for (const source of this.#sources) {
      const seconds = source.expectedSeconds?.(program);
      if (seconds !== undefined) return seconds;
    }
    return 0;
  }
}

function formatRemaining(seconds: number): string {
  return seconds < 60 ? 'less than a minute left' : `about ${Math.round(seconds / 60)} min left`;
}

/** Directory of programs named by an environment variable. Its programs are used without a version check. */
function givenDirectory(variable: string, directory: string | undefined): BinarySource {
  return {
    origin: `from ${variable}`,
    async find(program) {
      if (directory === undefined) return { passedOver: `${variable} is not set`, expected: true };
      const data = program.recipe.kind === 'module-files';
      const file = path.join(directory, data ? `${program.name}.json` : program.name);
      try {
        await access(file, data ? constants.R_OK : constants.X_OK);
        return { path: file };
      } catch {
        return { passedOver: `${variable} has no usable ${path.basename(file)}` };
      }
    },
  };
}
