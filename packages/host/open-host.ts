import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { type Clock, formatDuration, minutes, seconds } from '@minifleet/clock';
import { type Redactor, redactCredentials, Secret } from '@minifleet/secret';
import { uploadArtifact } from './artifact.ts';
import {
  HOST_COMMAND_FAILED,
  HOST_COMMAND_TIMED_OUT,
  HOST_FILE_CHANGED,
  HOST_SUDO_BROKEN,
  HOST_SUDO_NEEDED,
  HOST_UPLOAD_INCOMPLETE,
} from './errors.ts';
import { fileInfoFrom } from './file-info.ts';
import type { FilePlace, Host, HostCommandResult, HostRunOptions, QueryOptions } from './host.ts';
import { loadScript } from './load-script.ts';
import { fileFailure } from './script-failure.ts';
import { sudoersError, sudoFailure } from './sudo-output.ts';
import { batchQueries } from './transport/batch.ts';
import type { Argv, CommandOutcome, HostTransport } from './transport/transport.ts';

interface OpenHostOptions {
  readonly transport: HostTransport;
  readonly user: string;
  readonly clock: Clock;
  /** Learns every secret that is sent. */
  readonly redactor: Redactor;
  /** Aborts running commands. */
  readonly signal?: AbortSignal;
}

const LOOK_WITHIN = seconds(30);
const RUN_WITHIN = minutes(1);
const EXIT_INCOMPLETE = 80;
const EXIT_CONFLICT = 81;

/** Opens a host on a transport. */
export function openHost({ transport, user, clock, redactor, signal }: OpenHostOptions): Host {
  const { address } = transport;
  const ask = batchQueries({ transport, clock, signal, nonce: () => randomBytes(16).toString('hex') });
  // Truncate after redaction: half a secret would not be recognised.
  const named = (argv: Argv): string => redactor.redact(describeCommand(argv)).slice(0, MAX_COMMAND_LENGTH);

  const ranOrThrow = (outcome: CommandOutcome, argv: Argv): HostCommandResult => {
    if (outcome.kind === 'unreached') throw outcome.error;
    if (outcome.kind === 'timed out') {
      throw HOST_COMMAND_TIMED_OUT({ command: named(argv), address, after: formatDuration(outcome.after) });
    }
    const { exitCode, stdout, stderr } = outcome;
    const ran = { exitCode, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
    if (exitCode === 1 && argv[0] === 'sudo') requireSudoRan(address, ran);
    return ran;
  };

  const query = async (argv: Argv, { root, timeout = LOOK_WITHIN }: QueryOptions = {}): Promise<HostCommandResult> => {
    const full = root ? asRoot(argv) : argv;
    return ranOrThrow(await ask(full, timeout), full);
  };

  const run = async (argv: Argv, options: HostRunOptions = {}): Promise<HostCommandResult> => {
    const full = options.root ? asRoot(argv) : argv;
    const { stdin, timeout = RUN_WITHIN } = options;
    if (stdin instanceof Secret) redactor.learn(stdin);
    const bytes = stdin instanceof Secret ? stdin.reveal() : Buffer.from(stdin ?? '');
    const outcome = await transport.run({
      argv: full,
      stdin: bytes,
      deadline: timeout,
      signal: options.signal ?? signal,
    });
    return ranOrThrow(outcome, full);
  };

  const failed = (argv: Argv, ran: HostCommandResult): Error =>
    HOST_COMMAND_FAILED({
      command: named(argv),
      address,
      status: ran.exitCode === undefined ? 'a signal' : `exit code ${ran.exitCode}`,
      output: redactor.redact(ran.stderr.trim() || ran.stdout.trim() || 'no output').slice(-MAX_OUTPUT_LENGTH),
    });

  const script = (name: string, args: readonly string[], options: HostRunOptions = {}): Promise<HostCommandResult> =>
    run(['/bin/sh', '-c', loadScript(name), name, ...args], { root: true, ...options });

  const placed = (ran: HostCommandResult, path: string): void => {
    if (ran.exitCode === 0) return;
    if (ran.exitCode === EXIT_INCOMPLETE || INPUT_ERROR.test(ran.stderr))
      throw HOST_UPLOAD_INCOMPLETE({ path, address });
    if (ran.exitCode === EXIT_CONFLICT) throw HOST_FILE_CHANGED({ path, address });
    throw fileFailure({ path, address }, ran.stderr) ?? failed(['write', path], ran);
  };

  const write = async (place: FilePlace, content: string | Uint8Array | Secret, replaces: string): Promise<void> => {
    const bytes = content instanceof Secret ? content.reveal() : Buffer.from(content);
    if (content instanceof Secret) redactor.learn(content);
    placed(await script('write-file', [...placeOf(place), sha256(bytes), replaces], { stdin: bytes }), place.path);
  };

  const readBytes = async (path: string): Promise<Buffer | undefined> => {
    const ran = await query(['/bin/cat', path], { root: true });
    if (ran.exitCode === 0) return ran.bytes;
    if (/No such file or directory|Not a directory/.test(ran.stderr)) return undefined;
    throw failed(['/bin/cat', path], ran);
  };

  return {
    address,
    user,
    clock,
    query,
    run,
    script,
    readBytes,
    readText: async path => (await readBytes(path))?.toString('utf8'),
    async fileInfo(path) {
      return fileInfoFrom((await query(['/bin/ls', '-ldn', path], { root: true })).stdout);
    },
    async holdsArtifact(path, { sha256: desired }) {
      const argv: Argv = ['/bin/sh', '-c', loadScript('holds-artifact'), 'holds-artifact', path, desired];
      return (await query(argv, { root: true })).exitCode === 0;
    },
    redact: text => redactCredentials(redactor.redact(text)),
    async must(argv, options) {
      const ran = await run(argv, options);
      if (ran.exitCode !== 0) throw failed(argv, ran);
      return ran.stdout;
    },
    writeFile: (place, content) => write(place, content, 'any'),
    async editText(place, edit) {
      const before = await readBytes(place.path);
      // Bytes that are not UTF-8 are preserved.
      const encoding = before === undefined || isUtf8(before) ? 'utf8' : 'latin1';
      const text = before?.toString(encoding) ?? '';
      const after = edit(text);
      if (after === text && before !== undefined) return false;
      await write(place, Buffer.from(after, encoding), before === undefined ? 'none' : sha256(before));
      return true;
    },
    async upload(place, artifact, options = {}) {
      const args = [...placeOf(place), artifact.sha256, options.sign ? 'sign' : 'as-is'];
      const argv = asRoot(['/bin/sh', '-c', loadScript('upload'), 'upload', ...args]);
      const { outcome, sent } = await uploadArtifact(transport, { argv, artifact, timeout: options.timeout, signal });
      placed(ranOrThrow(outcome, argv), place.path);
      return sent ? 'sent' : 'there';
    },
    async remove(path) {
      const ran = await run(['/bin/rm', '-rf', path], { root: true });
      if (ran.exitCode !== 0) throw fileFailure({ path, address }, ran.stderr) ?? failed(['/bin/rm', '-rf', path], ran);
    },
  };
}

const MAX_OUTPUT_LENGTH = 1_000;
const MAX_COMMAND_LENGTH = 200;
const INPUT_ERROR = /Input\/output error/;

const asRoot = (argv: Argv): Argv => ['sudo', '-n', ...argv];

/** Throws if sudo itself did not run the command: its output is not the output of the command. */
function requireSudoRan(address: string, ran: HostCommandResult): void {
  if (/^sudo: a password is required/m.test(ran.stderr)) throw HOST_SUDO_NEEDED({ address });
  if (sudoFailure(ran) === 'broken') throw HOST_SUDO_BROKEN({ address, why: sudoersError(ran) });
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const placeOf = ({ path, mode, owner }: FilePlace): string[] => [path, mode.toString(8).padStart(4, '0'), owner];

const SHELL = /^(\/bin\/)?(sh|bash|zsh)$/;

/** Renders a command for messages: without `sudo -n`, and a script by name and arguments, never by its text. */
export function describeCommand(argv: Argv): string {
  const words = argv[0] === 'sudo' && argv[1] === '-n' ? argv.slice(2) : argv;
  const inline = SHELL.test(words[0] ?? '') && words[1] === '-c';
  return (inline ? words.slice(3) : words).join(' ');
}
