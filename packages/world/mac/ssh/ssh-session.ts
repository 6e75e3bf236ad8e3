import { pause, seconds } from '@minifleet/clock';
import type ssh2 from 'ssh2';
import type { BuiltMac } from '../create-mac.ts';
import type { User } from '../mac.ts';
import { type OutputStream, Pipe } from '../processes/pipe.ts';
import { type ExitReason, processesOf } from '../processes/process-table.ts';
import { execute } from '../shell/execute.ts';
import { serveSftp } from './sftp/serve-sftp.ts';

interface SshSessionContext {
  readonly mac: BuiltMac;
  readonly user: User;
  readonly session: ssh2.Session;
  /** Aborts when the connection is gone. */
  readonly gone: AbortSignal;
  readonly drop: () => void;
  readonly address: string;
}

/** Serves one channel: a command, a shell that reads standard input, or sftp. */
export function serveSession(place: SshSessionContext): void {
  const { mac, user, session, address } = place;
  const environment: Record<string, string> = {
    SSH_CONNECTION: `${address} 50000 ${mac.options.address} 22`,
    SSH_CLIENT: `${address} 50000 22`,
  };
  const killed = new AbortController();
  let terminal = false;
  session.on('pty', accept => {
    terminal = true;
    accept?.();
  });
  session.on('window-change', accept => accept?.());
  session.on('env', (accept, _reject, { key, val }) => {
    // AcceptEnv of macOS: LANG and LC_*; others are silently dropped.
    if (/^(LANG|LC_\w+)$/.test(key)) environment[key] = val;
    accept?.();
  });
  let deaf = false;
  session.on('signal', accept => {
    if (!deaf) killed.abort();
    accept?.();
  });
  session.on('exec', (accept, _reject, { command }) => {
    // zsh replaces itself with the last command, and only root may signal root's processes (derived).
    deaf = user.uid !== 0 && command.startsWith('sudo ');
    void serveCommand({ ...place, environment, killed, terminal }, command, accept());
  });
  session.on('shell', accept => void serveShell({ ...place, environment, killed, terminal }, accept()));
  session.on('sftp', accept => serveSftp({ mac, user }, accept()));
}

interface SshCommandContext extends SshSessionContext {
  readonly environment: Readonly<Record<string, string>>;
  readonly killed: AbortController;
  readonly terminal: boolean;
}

async function serveShell(place: SshCommandContext, channel: ssh2.ServerChannel): Promise<void> {
  // A shell reads its commands from standard input; there is no line editing or echo.
  await serveCommand(place, 'exec /bin/zsh -s', channel);
}

async function serveCommand(place: SshCommandContext, command: string, channel: ssh2.ServerChannel): Promise<void> {
  const { mac, drop } = place;
  mac.around.journal.add(`mac/${mac.options.name}`, 'command', command);
  const fault = mac.around.faults.strike({ place: `mac/${mac.options.name}`, kind: 'command', detail: command });
  channel.on('error', () => undefined);
  if (fault?.type === 'hang') return;
  if (fault?.type === 'drop' && fault.when === 'before') {
    drop();
    return;
  }
  if (fault?.type === 'delay') await pause(mac.around.clock, fault.by, place.gone);
  if (fault?.type === 'fail') {
    channel.stderr.write(`${fault.message}\n`);
    finish(channel, { code: fault.code });
    return;
  }
  const exit = await run(place, { command, channel, breaks: fault?.type === 'drop' && fault.when === 'during' });
  if (fault?.type === 'drop') drop();
  else if (!mac.running || place.gone.aborted) return;
  else if (place.killed.signal.aborted) finish(channel, { signal: 'SIGTERM' });
  else finish(channel, exit);
}

interface RunningCommand {
  readonly command: string;
  readonly channel: ssh2.ServerChannel;
  readonly breaks: boolean;
}

/**
 * Runs a command to its end, even if the connection breaks: then its input ends, and it runs until it writes to the
 * closed pipe. So `cat > file && mv file target` moves a truncated file into place (derived from OpenSSH's sshd without
 * a terminal). With a terminal it gets SIGHUP.
 */
async function run(place: SshCommandContext, { command, channel, breaks }: RunningCommand): Promise<ExitReason> {
  const { mac, user, environment, gone, killed, drop, terminal } = place;
  const stdin = new Pipe();
  channel.on('data', (chunk: Buffer) => {
    stdin.write(chunk);
    if (breaks) drop();
  });
  channel.on('end', () => {
    stdin.end();
    if (breaks) drop();
  });
  // Without any input, the connection breaks one second later, or when the command ends.
  const timer = breaks ? mac.around.clock.after(seconds(1), drop) : undefined;
  const onGone = (): void => {
    stdin.end();
    if (terminal) killed.abort();
  };
  gone.addEventListener('abort', onGone, { once: true });
  const output = (stream: { write(chunk: Buffer): unknown }) => {
    const gathered = gatherOutput(content => !gone.aborted && stream.write(content));
    return {
      write(content: Buffer | string): void {
        if (gone.aborted) killed.abort();
        else gathered.write(content);
      },
      flush: () => gathered.flush(),
    };
  };
  const [out, err] = [output(channel), output(channel.stderr)];
  const entry = processesOf(mac).start({
    argv: ['zsh', '-c', command],
    user,
    session: 'ssh',
    body: async process => {
      const signal = AbortSignal.any([process.signal, killed.signal]);
      const { code } = await execute(mac, command, { user, session: 'ssh', environment, signal, stdin, out, err });
      return code;
    },
  });
  const exit = await entry.exited;
  out.flush();
  err.flush();
  timer?.cancel();
  gone.removeEventListener('abort', onGone);
  return exit;
}

/** Sends an exit code, or a signal name without SIG. A process killed by the kernel reports SIGKILL. */
function finish(channel: ssh2.ServerChannel, exit: ExitReason): void {
  if ('code' in exit) channel.exit(exit.code);
  else channel.exit(('signal' in exit ? exit.signal : 'SIGKILL').slice(3));
  channel.end();
}

/**
 * Output that is sent at the end of the event loop turn: a program that writes line by line costs one packet instead of
 * hundreds.
 */
interface GatheredOutput extends OutputStream {
  /** Sends the buffered output now, before an exit code, which must come last. */
  flush(): void;
}

/** Buffers like the pipe between a command and sshd: writes before a read arrive together. */
export function gatherOutput(send: (content: Buffer) => void): GatheredOutput {
  let waiting: Buffer[] = [];
  const flush = (): void => {
    const chunks = waiting;
    waiting = [];
    if (chunks.length > 0) send(Buffer.concat(chunks));
  };
  return {
    write(content) {
      if (content.length > 0 && waiting.push(Buffer.from(content)) === 1) setImmediate(flush);
    },
    flush,
  };
}
