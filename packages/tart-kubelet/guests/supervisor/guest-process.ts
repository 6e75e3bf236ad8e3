import type { AgentClient } from '../agent-client/agent-client.ts';
import { ADDRESS_IN_PROCESS, type ExecSession, type GuestProcess, type GuestSpec } from '../guest.ts';
import type { LogStream } from './cri-log.ts';
import type { ProcessFacts } from './judge-exit.ts';

/** The Pod's process inside the guest. */
export interface RunningProcess {
  /** Its code; rejects when the guest or the connection to it is lost. */
  readonly exited: Promise<number>;
  /** SIGTERM, sent inside the guest. */
  terminate(): void;
}

interface GuestProcessOptions {
  readonly agent: AgentClient;
  readonly process: GuestProcess;
  readonly address: string;
  readonly onOutput: (stream: LogStream, data: Buffer) => void;
}

/**
 * The agent knows neither environment nor directory, and a value in an argument could be read by every process of the guest.
 * Hence Perl, in every macOS so far: it reads the file, takes any name a Kubernetes variable may have (a shell refuses `a.b`
 * and `UID`), puts the guest's address where it belongs, and becomes the process. First it says its pid, by which the process is asked to end later.
 */
const BECOME = `
my ($file, $mark, $address, $directory, @command) = @ARGV;
sub fail { my ($code, $words) = @_; print STDERR "$words: $!\\n"; exit $code }
syswrite(STDERR, "$$\\n");
if ($file ne '') {
  open(my $in, '<', $file) or fail(126, "the environment cannot be read");
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

function runGuestProcess({ agent, process, address, onOutput }: GuestProcessOptions): RunningProcess {
  const { argv: command, environmentFile = '', workingDirectory = '' } = process;
  const words = command.map(word => word.replaceAll(ADDRESS_IN_PROCESS, address));
  const given = [environmentFile, ADDRESS_IN_PROCESS, address, workingDirectory, ...words];
  const argv = ['/usr/bin/perl', '-MErrno', '-e', BECOME, ...given] as const;
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

/** The last lines are written before the end is told. */
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

const MOST_PID = 20;

function withoutFirstLine(onFirst: (line: string) => void, onRest: (data: Buffer) => void): (data: Buffer) => void {
  let first: Buffer | undefined = Buffer.alloc(0);
  return data => {
    if (first === undefined) return onRest(data);
    first = Buffer.concat([first, data]);
    const end = first.indexOf('\n');
    if (end < 0 && first.length <= MOST_PID) return;
    // Perl itself may be missing, and then these are the words of that.
    const isPid = end >= 0 && /^\d+$/.test(first.subarray(0, end).toString());
    const rest = isPid ? first.subarray(end + 1) : first;
    if (isPid) onFirst(first.subarray(0, end).toString());
    first = undefined;
    if (rest.length > 0) onRest(rest);
  };
}

/** What is known of the Pod's process at any moment. */
interface WatchedProcess {
  readonly facts: ProcessFacts;
  /** Undefined without a process, and after its end. */
  readonly running: RunningProcess | undefined;
  /** Resolves when it has ended or was lost; never without one. */
  readonly settled: Promise<void>;
}

interface WatchProcessOptions {
  readonly agent: AgentClient;
  readonly spec: Pick<GuestSpec, 'process'>;
  readonly address: string;
  readonly onOutput: (stream: LogStream, data: Buffer) => void;
  /** The moment it ended with a code. */
  readonly onExit: () => void;
}

export function watchProcess({ agent, spec, address, onOutput, onExit }: WatchProcessOptions): WatchedProcess {
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
