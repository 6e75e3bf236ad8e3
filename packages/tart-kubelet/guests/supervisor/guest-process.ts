import type { AgentClient } from '../agent-client/agent-client.ts';
import { ADDRESS_IN_PROCESS, type ExecSession, type GuestProcess, type GuestSpec } from '../guest.ts';
import type { OutputStream } from './cri-log.ts';
import type { ProcessFacts } from './judge-exit.ts';

export interface ProcessHandle {
  /** Exit code; rejects if the guest or the connection to it is lost. */
  readonly exited: Promise<number>;
  /** Sends SIGTERM inside the guest. */
  terminate(): void;
}

interface GuestProcessOptions {
  readonly agent: AgentClient;
  readonly process: GuestProcess;
  readonly address: string;
  readonly onOutput: (stream: OutputStream, data: Buffer) => void;
}

/**
 * Wrapper that starts the process in the guest. The guest agent sets neither environment nor directory, and a value in
 * an argument would be readable by every process of the guest. Perl is part of every macOS so far. It reads the
 * environment file, accepts every name a Kubernetes variable may have (a shell rejects `a.b` and `UID`), inserts the
 * guest's address, and executes the process. First it prints its pid, to which the termination signal is sent later.
 */
const EXEC_SCRIPT = `
my ($file, $mark, $address, $directory, @command) = @ARGV;
sub fail { my ($code, $message) = @_; print STDERR "$message: $!\\n"; exit $code }
syswrite(STDERR, "$$\\n");
if ($file ne '') {
  open(my $in, '<', $file) or fail(126, "environment is unreadable");
  local $/ = "\\0";
  while (my $entry = <$in>) {
    chomp $entry;
    my ($name, $value) = split(/=/, $entry, 2);
    next unless defined $value;
    $value =~ s/\\Q$mark\\E/$address/g;
    $ENV{$name} = $value;
  }
  close $in;
}
if ($directory ne '') { chdir $directory or fail(126, "working directory $directory") }
exec { $command[0] } @command or fail($!{ENOENT} ? 127 : 126, $command[0]);
`;

function runGuestProcess({ agent, process, address, onOutput }: GuestProcessOptions): ProcessHandle {
  const { argv: command, environmentFile = '', workingDirectory = '' } = process;
  const commandArguments = command.map(word => word.replaceAll(ADDRESS_IN_PROCESS, address));
  const perlArguments = [environmentFile, ADDRESS_IN_PROCESS, address, workingDirectory, ...commandArguments];
  const argv = ['/usr/bin/perl', '-MErrno', '-e', EXEC_SCRIPT, ...perlArguments] as const;
  const session = agent.exec({ argv, interactive: false });
  const pid = Promise.withResolvers<string | undefined>();
  session.stdout.on('data', (data: Buffer) => onOutput('stdout', data));
  session.stderr.on(
    'data',
    withoutFirstLine(pid.resolve, data => onOutput('stderr', data)),
  );
  session.stderr.on('close', () => pid.resolve(undefined));
  return {
    exited: outputThenExit(session),
    terminate: () => void pid.promise.then(known => terminate(agent, known)),
  };
}

/** Waits for the last output before the exit code is returned. */
async function outputThenExit(session: ExecSession): Promise<number> {
  const code = await session.exited;
  await Promise.all([session.stdout, session.stderr].map(ended));
  return code;
}

const ended = (stream: ExecSession['stdout']): Promise<void> =>
  new Promise(resolve => {
    if (stream.readableEnded) resolve();
    else stream.once('end', resolve).once('close', resolve);
  });

function terminate(agent: AgentClient, pid: string | undefined): void {
  if (pid === undefined || !/^[1-9]\d*$/.test(pid)) return;
  const session = agent.exec({ argv: ['/bin/kill', '-TERM', pid], interactive: false });
  session.stdout.resume();
  session.stderr.resume();
}

const MAX_PID_LENGTH = 20;

function withoutFirstLine(onFirst: (line: string) => void, onRest: (data: Buffer) => void): (data: Buffer) => void {
  let first: Buffer | undefined = Buffer.alloc(0);
  return data => {
    if (first === undefined) return onRest(data);
    first = Buffer.concat([first, data]);
    const end = first.indexOf('\n');
    if (end < 0 && first.length <= MAX_PID_LENGTH) return;
    // Without Perl in the image, the first line is an error message instead of a pid.
    const isPid = end >= 0 && /^\d+$/.test(first.subarray(0, end).toString());
    const rest = isPid ? first.subarray(end + 1) : first;
    if (isPid) onFirst(first.subarray(0, end).toString());
    first = undefined;
    if (rest.length > 0) onRest(rest);
  };
}

/** Current state of the Pod's process. */
interface ProcessWatch {
  readonly facts: ProcessFacts;
  /** Undefined without a process, and after its end. */
  readonly running: ProcessHandle | undefined;
  /** Resolves when the process has ended or was lost; never without a process. */
  readonly settled: Promise<void>;
}

interface WatchProcessOptions {
  readonly agent: AgentClient;
  readonly spec: Pick<GuestSpec, 'process'>;
  readonly address: string;
  readonly onOutput: (stream: OutputStream, data: Buffer) => void;
  /** Called when the process has exited with a code. */
  readonly onExit: () => void;
}

export function watchProcess({ agent, spec, address, onOutput, onExit }: WatchProcessOptions): ProcessWatch {
  if (!spec.process) return { facts: { state: 'none' }, running: undefined, settled: new Promise(() => undefined) };
  const running = runGuestProcess({ agent, process: spec.process, address, onOutput });
  let facts: ProcessFacts = { state: 'unfinished' };
  const settled = running.exited.then(
    code => {
      facts = { state: 'exited', code };
      onExit();
    },
    (error: unknown) => {
      facts = { state: 'lost', why: (error as Error).message };
    },
  );
  return {
    get facts() {
      return facts;
    },
    get running() {
      return facts.state === 'unfinished' ? running : undefined;
    },
    settled,
  };
}
