import { type Duration, minutes, pause, seconds } from '@minifleet/clock';
import { FileError } from '../files/file-system.ts';
import { localNetworkAllowed } from '../local-network/local-network.ts';
import type { Program, Run } from '../mac.ts';
import { inputOf } from '../processes/pipe.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import { PREFIX } from './brew.ts';
import { builderOf } from './image-builder.ts';

/** Simulates packer as Homebrew installs it. */
export const packer =
  (version: string): Program =>
  async run => {
    const [, command = '', ...words] = run.argv;
    switch (command) {
      case 'version':
      case '--version':
      case '-v':
        run.out(`Packer v${version}\n`);
        return 0;
      case 'init':
        return 0;
      case 'validate':
        return template(run, words) ? say(run, 'The configuration is valid.\n') : 1;
      case 'build':
        return build(run, words);
      default:
        run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
        run.err('Usage: packer [--version] [--help] <command> [<args>]\n');
        return 127;
    }
  };

interface PackerTemplate {
  readonly source: string;
  readonly vm: string;
  /** Image the VM is cloned from. Without it there is no VM, and only Packer's own output is simulated. */
  readonly base: string | undefined;
  /** Undefined: no timeout. */
  readonly timeout: Duration | undefined;
}

function template(run: Run, words: readonly string[]): PackerTemplate | undefined {
  const path = words.findLast(word => !word.startsWith('-')) ?? '.';
  try {
    const text = run.mac.files.read(run.user, path.startsWith('/') ? path : `${run.directory}/${path}`).toString();
    const source = /source\s+"([^"]+)"\s+"([^"]+)"/.exec(text);
    const timeout = /ssh_timeout\s*=\s*"(\d+)([smh])"/.exec(text);
    const vm = /vm_name\s*=\s*"([^"]+)"/.exec(text)?.[1] ?? source?.[2] ?? 'vm';
    return {
      source: `${source?.[1] ?? 'tart-cli'}.${source?.[2] ?? 'vm'}`,
      vm,
      base: /vm_base_name\s*=\s*"([^"]+)"/.exec(text)?.[1],
      timeout: timeout ? span(timeout) : undefined,
    };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    run.err(
      `Error: Could not find any config file in ${path}\n\nA config file must be suffixed with \`.pkr.hcl\` or \`.pkr.json\`.\n`,
    );
    return undefined;
  }
}

const span = ([, count, unit]: RegExpExecArray): Duration =>
  unit === 's' ? seconds(Number(count)) : minutes(Number(count) * (unit === 'h' ? 60 : 1));

/**
 * The guest always boots and gets its lease. Only Packer's own connection is refused, and silently: the last line it
 * prints is the one about waiting (I26; S3, facts §3.13).
 */
async function build(run: Run, words: readonly string[]): Promise<number> {
  const spec = template(run, words);
  if (!spec) return 1;
  const step = (text: string): void => run.out(`==> ${spec.source}: ${text}\n`);
  run.out(`${spec.source}: output will be in this color.\n\n`);
  step('Cloning virtual machine...');
  if (spec.base !== undefined && (await tart(run, spec.source, ['clone', spec.base, spec.vm])) !== 0)
    return errored(run, spec, 'Failed to clone the virtual machine');
  step('Starting the virtual machine...');
  const guest = startGuest(run, spec);
  step('Waiting for SSH to become available...');
  const failure = (await connect(run, spec, guest.ended)) ?? (await provision(run, spec, step));
  await guest.stop();
  if (run.signal.aborted) return interrupted(run, spec);
  if (failure !== undefined) return errored(run, spec, failure);
  run.out(
    `Build '${spec.source}' finished after 20 seconds.\n\n==> Builds finished. The artifacts of successful builds are:\n--> ${spec.source}: ${spec.vm}\n`,
  );
  return 0;
}

/** One attempt per second. */
const ADDRESS_ATTEMPTS = '600';

interface PackerGuest {
  /** Resolves with the exit code of `tart run`; never if there is no guest. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

function startGuest(run: Run, { source, vm, base }: PackerTemplate): PackerGuest {
  if (base === undefined) return { ended: new Promise(() => undefined), stop: async () => undefined };
  const ended = tart(run, source, ['run', vm, '--no-graphics']);
  return {
    ended,
    async stop() {
      await tart(run, source, ['stop', vm]);
      await ended;
    },
  };
}

/** Returns the reason for a failure; undefined if connected or interrupted. */
async function connect(run: Run, spec: PackerTemplate, ended: Promise<number>): Promise<string | undefined> {
  const { timeout } = spec;
  const { clock } = run.mac.around;
  const program = `${PREFIX}/bin/packer`;
  const reaches = localNetworkAllowed(run.mac, { program, session: run.session, user: run.user });
  const failed = ended.then(() => 'Failed to run the virtual machine');
  if (reaches) return Promise.race([boot(run, spec), failed]);
  const waited =
    timeout === undefined
      ? new Promise<void>(resolve => run.signal.addEventListener('abort', () => resolve(), { once: true }))
      : pause(clock, timeout, run.signal);
  return Promise.race([waited.then(() => 'Timeout waiting for SSH.'), failed]);
}

/** The boot takes time on the Mac's clock. The real process of the guest takes real time. */
async function boot(run: Run, { source, vm, base }: PackerTemplate): Promise<string | undefined> {
  await pause(run.mac.around.clock, builderOf(run.mac).guestBoots, run.signal);
  if (run.signal.aborted || base === undefined) return undefined;
  const found = await tart({ ...run, out: () => undefined }, source, ['ip', vm, '--wait', ADDRESS_ATTEMPTS]);
  return found === 0 || run.signal.aborted ? undefined : 'Timeout waiting for SSH.';
}

async function provision(run: Run, { source, vm }: PackerTemplate, step: (text: string) => void): Promise<undefined> {
  if (run.signal.aborted) return;
  step('Connected to SSH!');
  await builderOf(run.mac).bake?.({ mac: run.mac, source, vm });
}

function errored(run: Run, { source }: PackerTemplate, why: string): number {
  run.err(
    `==> ${source}: ${why}\nBuild '${source}' errored: ${why}\n\n==> Some builds didn't complete successfully and had errors:\n--> ${source}: ${why}\n`,
  );
  return 1;
}

function interrupted(run: Run, { source }: PackerTemplate): number {
  run.err(`Cancelling build after receiving terminated\nBuild '${source}' errored: build was cancelled\n`);
  return 1;
}

function say(run: Run, text: string): number {
  run.out(text);
  return 0;
}

/** Calls `tart` as Packer's plugin does: the one on its PATH, with its output prefixed by the plugin's source. */
async function tart(run: Run, source: string, words: readonly string[]): Promise<number> {
  const { user, session, directory, environment, signal } = run;
  const passOn = (write: Run['out']) => ({
    write: (text: string | Buffer) => write(String(text).replaceAll(/^(?=.)/gm, `    ${source}: `)),
  });
  const request = {
    ...{ argv: ['tart', ...words], user, session, directory, environment, signal },
    ...{ stdin: inputOf(''), out: passOn(run.out), err: passOn(run.err) },
  };
  const found = findExecutable(run.mac, request);
  if ('program' in found) return runProgram(run.mac, found, request);
  run.err(`    ${source}: exec: "tart": executable file not found in $PATH\n`);
  return 127;
}
