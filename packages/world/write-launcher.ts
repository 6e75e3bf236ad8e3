import { chmodSync, writeFileSync } from 'node:fs';

interface LauncherOptions {
  /** The program: a file Node runs. */
  readonly main: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly node?: string | undefined;
}

/** Writes an executable that runs a program of the world with this Node, wherever it is called from. */
export function writeLauncher(
  path: string,
  { main, environment = {}, node = process.execPath }: LauncherOptions,
): void {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
  // Without types to strip and code to compile a call takes half the time.
  const cache = `export NODE_COMPILE_CACHE="\${NODE_COMPILE_CACHE:-\${TMPDIR:-/tmp}/node-compile-cache}"`;
  // exec: signals and the pid are those of the program.
  const run = `exec ${quoted(node)} ${quoted(main)} "$@"`;
  writeFileSync(path, ['#!/bin/sh', ...variables, cache, run, ''].join('\n'));
  chmodSync(path, 0o755);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
