import { chmodSync, writeFileSync } from 'node:fs';

interface LauncherOptions {
  /** Program file for Node. */
  readonly main: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly node?: string | undefined;
}

/** Writes an executable that runs a program of the world with this Node, from any directory. */
export function writeLauncher(
  path: string,
  { main, environment = {}, node = process.execPath }: LauncherOptions,
): void {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`);
  // The compile cache halves the time of a call.
  const cache = `export NODE_COMPILE_CACHE="\${NODE_COMPILE_CACHE:-\${TMPDIR:-/tmp}/node-compile-cache}"`;
  // exec keeps the pid, so that signals reach the program.
  const run = `exec ${quoted(node)} ${quoted(main)} "$@"`;
  writeFileSync(path, ['#!/bin/sh', ...variables, cache, run, ''].join('\n'));
  chmodSync(path, 0o755);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
