/**
 * `node scripts/build-agent.ts [--platform darwin-arm64|linux-x64] [--out directory]`: builds the node agent as one
 * executable, with its SBOM.
 */
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTerminalReporter } from '@minifleet/local-cluster';
import {
  type AgentPlatform,
  type BuiltAgent,
  buildAgent,
  findPlatform,
  megabytes,
  startTime,
} from '@minifleet/tart-kubelet/build';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true, default: ['darwin-arm64'] },
    out: { type: 'string', default: 'dist' },
    main: { type: 'string' },
  },
});

const reporter = createTerminalReporter({ output: process.stdout, now: Date.now });

async function build(platform: AgentPlatform): Promise<void> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const built = await buildAgent({
    root,
    platform,
    out: resolve(values.out),
    cache: join(cache, 'minifleet'),
    node: process.execPath,
    step: title => reporter.step(title),
    ...(values.main === undefined ? {} : { main: values.main }),
  });
  console.log(await describe(platform, built));
}

async function describe(platform: AgentPlatform, built: BuiltAgent): Promise<string> {
  const here = platform.os === process.platform && platform.cpu === process.arch;
  const start = here ? await startOf(built.executable) : `not measured, ${platform.name} does not run here`;
  return [
    `\n${relative('.', built.executable)}`,
    `  size     ${megabytes(built.bytes)}, ${megabytes(built.bundleBytes)} of it the agent`,
    `  start    ${start}`,
    `  sha256   ${built.sha256}`,
    `  parts    ${relative('.', built.sbom)}`,
  ].join('\n');
}

const startOf = (executable: string): Promise<string> =>
  startTime(executable).then(
    milliseconds => `${milliseconds.toFixed(0)} ms until --version is answered`,
    (error: unknown) => `not measured, --version failed: ${error instanceof Error ? error.message : String(error)}`,
  );

try {
  for (const name of values.platform) await build(findPlatform(name));
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `\n  ${error.cause.message}` : '';
  console.error(`${error instanceof Error ? error.message : String(error)}${cause}`);
  process.exitCode = 1;
}
