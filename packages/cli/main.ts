#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir, hostname, userInfo } from 'node:os';
import { basename, join } from 'node:path';

const { NO_COLOR, XDG_STATE_HOME, XDG_CACHE_HOME } = process.env;
const home = homedir();

// What takes longest in a short command is to compile it. Whatever is imported before this line is compiled each time.
enableCompileCache(join(XDG_CACHE_HOME || join(home, '.cache'), 'minifleet', 'compiled'));
const [{ systemClock }, { runCli }, { terminalPrompts }] = await Promise.all([
  import('@minifleet/clock'),
  import('./cli.ts'),
  import('./terminal/prompts.ts'),
]);

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort(name));

process.exitCode = await runCli(process.argv.slice(2), {
  clock: systemClock,
  output: process.stdout,
  errors: process.stderr,
  input: process.stdin,
  prompts: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompts(process.stdin, process.stderr) : undefined,
  signal: stop.signal,
  colours: !NO_COLOR,
  environment: process.env,
  home,
  stateDirectory: join(XDG_STATE_HOME || join(home, '.local', 'state'), 'minifleet'),
  calledAs: basename(process.argv[1] ?? '').startsWith('kubectl-') ? 'kubectl minifleet' : 'minifleet',
  who: `${userInfo().username}@${hostname()}`,
});
