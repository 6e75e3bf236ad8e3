import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostFile } from '@minifleet/world/testing';
import { makeTart, type SimulatedTart, startRegistry } from '@minifleet/world/testing';
import type { AuthorizationOptions, Registry } from '@minifleet/world/testing/registry';
import { makeWorldDeps, type TartResult, tartAt } from '@minifleet/world/testing/tart';

/** A builder host on this machine: the real scripts and a real shell, with the simulated Tart and a registry. */
export interface SimulatedBuilder {
  readonly tart: SimulatedTart;
  readonly registry: Registry;
  change(host: HostFile): void;
  /** Runs one of `host/*.sh`. */
  script(name: string, argv: readonly string[], environment?: Readonly<Record<string, string>>): Promise<TartResult>;
  /** Arguments of each `tart` call of the scripts. */
  calls(): readonly string[];
  /** A program for the scripts, as text for /bin/sh. */
  install(program: string, text: string): void;
  vms(): Promise<readonly string[]>;
}

export interface SimulatedBuilderOptions {
  readonly host?: HostFile;
  readonly authorization?: AuthorizationOptions;
}

const HOST_SCRIPTS = fileURLToPath(new URL('../host', import.meta.url));

export async function openBuilder(
  context: { after(clean: () => Promise<void>): void },
  { host = {}, authorization }: SimulatedBuilderOptions = {},
): Promise<SimulatedBuilder> {
  const registry = await startRegistry({
    deps: makeWorldDeps(),
    ...(authorization === undefined ? {} : { authorization }),
  });
  const settings = { ...host, registries: { 'ghcr.io': registry.url } };
  const tart = makeTart(settings);
  const programs = mkdtempSync(join(tmpdir(), 'builder-'));
  const log = join(programs, 'calls');
  const install = (program: string, text: string): void => {
    writeFileSync(join(programs, program), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, program), 0o755);
  };
  install('tart', `printf '%s\\n' "$*" >>'${log}'\nexec '${tart.path}' "$@"`);
  context.after(async () => {
    await tart.cleanUp();
    await registry.stop();
    rmSync(programs, { recursive: true, force: true });
  });
  const PATH = [programs, process.env['PATH']].join(delimiter);
  return {
    tart,
    registry,
    install,
    change: more => tart.change({ ...settings, ...more }),
    script: (name, argv, environment = {}) =>
      tartAt(join(HOST_SCRIPTS, name), tart.home).call(argv, { environment: { PATH, ...environment } }),
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    vms: async () => (await tart.call(['list', '--source', 'local', '--quiet'])).stdout.trim().split('\n'),
  };
}
