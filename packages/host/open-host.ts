import { createHash, randomBytes } from 'node:crypto';
import { type Clock, type Duration, formatDuration, minutes, seconds } from '@minifleet/clock';
import {
  HOST_COMMAND_FAILED,
  HOST_COMMAND_TIMED_OUT,
  HOST_FILE_CHANGED,
  HOST_SUDO_NEEDED,
  HOST_UPLOAD_INCOMPLETE,
} from './errors.ts';
import { fileFailure } from './file-failure.ts';
import { fileInfoFrom } from './file-info.ts';
import type { Artifact, FilePlace, Host, LookOptions, Ran, RunOptions, UploadOptions } from './host.ts';
import { loadScript } from './load-script.ts';
import type { Redactor } from './redactor.ts';
import { Secret } from './secret.ts';
import { lookTogether } from './transport/look-together.ts';
import type { Argv, Outcome, Transport } from './transport/transport.ts';

export interface OpenHostOptions {
  readonly transport: Transport;
  readonly user: string;
  readonly clock: Clock;
  /** Learns every secret that is sent. */
  readonly redactor: Redactor;
  /** Aborting it ends whatever is running. */
  readonly signal?: AbortSignal;
}

const LOOK_WITHIN = seconds(30);
const RUN_WITHIN = minutes(1);
const UPLOAD_WITHIN = minutes(10);
const NOT_WHOLE = 80;
const CHANGED_MEANWHILE = 81;

/** Puts the two faces of a host on a transport. */
export function openHost({ transport, user, clock, redactor, signal }: OpenHostOptions): Host {
  const { address } = transport;
  const ask = lookTogether(transport, () => randomBytes(16).toString('hex'));

  const ranOrThrow = (outcome: Outcome, argv: Argv): Ran => {
    if (outcome.kind === 'unreached') throw outcome.error;
    const command = describe(argv);
    if (outcome.kind === 'timed out') {
      throw HOST_COMMAND_TIMED_OUT({ command, address, after: formatDuration(outcome.after) });
    }
    const { exitCode, stdout, stderr } = outcome;
    const ran = { exitCode, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
    if (exitCode === 1 && argv[0] === 'sudo' && asksForPassword(ran.stderr)) throw HOST_SUDO_NEEDED({ address });
    return ran;
  };

  const look = async (argv: Argv, { root, timeout = LOOK_WITHIN }: LookOptions = {}): Promise<Ran> => {
    const full = root ? asRoot(argv) : argv;
    return ranOrThrow(await ask(full, timeout), full);
  };

  const run = async (argv: Argv, options: RunOptions = {}): Promise<Ran> => {
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

  const failed = (argv: Argv, ran: Ran): Error =>
    HOST_COMMAND_FAILED({
      command: describe(argv),
      address,
      status: ran.exitCode === undefined ? 'a signal' : `exit code ${ran.exitCode}`,
      output: redactor.redact((ran.stderr.trim() || ran.stdout.trim() || 'it said nothing').slice(-MOST_OUTPUT)),
    });

  const script = (name: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    run(['/bin/sh', '-c', loadScript(name), name, ...args], { root: true, ...options });

  const placed = (ran: Ran, path: string): void => {
    if (ran.exitCode === 0) return;
    if (ran.exitCode === NOT_WHOLE) throw HOST_UPLOAD_INCOMPLETE({ path, address });
    if (ran.exitCode === CHANGED_MEANWHILE) throw HOST_FILE_CHANGED({ path, address });
    throw fileFailure({ path, address }, ran.stderr) ?? failed(['write', path], ran);
  };

  const write = async (place: FilePlace, content: string | Uint8Array | Secret, replaces: string): Promise<void> => {
    const bytes = content instanceof Secret ? content.reveal() : Buffer.from(content);
    if (content instanceof Secret) redactor.learn(content);
    placed(await script('write-file', [...placeOf(place), sha256(bytes), replaces], { stdin: bytes }), place.path);
  };

  const readBytes = async (path: string): Promise<Buffer | undefined> => {
    const ran = await look(['/bin/cat', path], { root: true });
    if (ran.exitCode === 0) return ran.bytes;
    if (/No such file or directory|Not a directory/.test(ran.stderr)) return undefined;
    throw failed(['/bin/cat', path], ran);
  };

  return {
    address,
    user,
    clock,
    look,
    run,
    script,
    readBytes,
    readText: async path => (await readBytes(path))?.toString('utf8'),
    async fileInfo(path) {
      return fileInfoFrom((await look(['/bin/ls', '-ldn', path], { root: true })).stdout);
    },
    async holdsArtifact(path, { sha256: wanted }) {
      const argv: Argv = ['/bin/sh', '-c', loadScript('holds-artifact'), 'holds-artifact', path, wanted];
      return (await look(argv, { root: true })).exitCode === 0;
    },
    async must(argv, options) {
      const ran = await run(argv, options);
      if (ran.exitCode !== 0) throw failed(argv, ran);
      return ran.stdout;
    },
    writeFile: (place, content) => write(place, content, 'any'),
    async editText(place, edit) {
      const before = await readBytes(place.path);
      const text = before?.toString('utf8') ?? '';
      const after = edit(text);
      if (after === text && before !== undefined) return false;
      await write(place, after, before === undefined ? 'none' : sha256(before));
      return true;
    },
    async upload(place, artifact, options = {}) {
      const { ran, sent } = await dialogue(transport, { place, artifact, options, signal });
      placed(ranOrThrow(ran, asRoot(['upload', place.path])), place.path);
      return sent ? 'sent' : 'there';
    },
    async remove(path) {
      const ran = await run(['/bin/rm', '-rf', path], { root: true });
      if (ran.exitCode !== 0) throw fileFailure({ path, address }, ran.stderr) ?? failed(['/bin/rm', '-rf', path], ran);
    },
  };
}

const MOST_OUTPUT = 1_000;

const asRoot = (argv: Argv): Argv => ['sudo', '-n', ...argv];

const asksForPassword = (stderr: string): boolean => /^sudo: a password is required/m.test(stderr);

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const placeOf = ({ path, mode, owner }: FilePlace): string[] => [path, mode.toString(8).padStart(4, '0'), owner];

/** How a command is named to people: a script by its name, never by its text. */
const describe = (argv: Argv): string => {
  const words = argv[0] === 'sudo' ? argv.slice(2) : argv;
  const inline = words.indexOf('-c');
  return (inline >= 0 ? words.slice(inline + 2) : words).join(' ').slice(0, 200);
};

interface Sending {
  readonly place: FilePlace;
  readonly artifact: Artifact;
  readonly options: UploadOptions;
  readonly signal: AbortSignal | undefined;
}

/** The host says first whether it wants the content: one command, and nothing is sent that is there. */
async function dialogue(transport: Transport, { place, artifact, options, signal }: Sending) {
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
  let heard = '';
  let sent = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    if ((await answered) !== 'send') return;
    sent = true;
    yield* artifact.open();
  }
  const args = [...placeOf(place), artifact.sha256, options.sign ? 'sign' : 'as-is'];
  const deadline: Duration = options.timeout ?? UPLOAD_WITHIN;
  const ran = await transport.run({
    argv: asRoot(['/bin/sh', '-c', loadScript('upload'), 'upload', ...args]),
    stdin: content(),
    deadline,
    signal,
    onStdout(chunk) {
      heard += chunk.toString();
      if (heard.includes('\n')) answer(heard.split('\n')[0] ?? '');
    },
  });
  answer('over');
  return { ran, sent };
}
