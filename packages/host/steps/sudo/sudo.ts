import { minutes } from '@minifleet/clock';
import type { Secret } from '@minifleet/secret';
import { defineStep, drift } from '../../engine/step.ts';
import { HOST_SUDO_BROKEN, HOST_SUDO_NEEDED } from '../../errors.ts';
import { fileInfoFrom } from '../../file-info.ts';
import type { FileInfo, HostCommandResult, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { scriptFailure } from '../../script-failure.ts';
import { sudoersError, sudoFailure } from '../../sudo-output.ts';
import {
  assertUnlocked,
  HOST_SUDO_NOT_ALLOWED,
  HOST_SUDO_PASSWORD_WRONG,
  HOST_USER_NAME_INVALID,
  passwordLine,
  readLockState,
} from './account.ts';

export interface SudoSettings {
  /** The SSH user. */
  readonly user: string;
  /** Its password: used once, on a host that still asks for it. */
  readonly password?: Secret | undefined;
}

// By path, because an error of `sudo` itself would be thrown before it could be read. `-k`: a password that sudo caches
// for five minutes must not look like a permanent rule.
const SUDO = ['/usr/bin/sudo', '-k'] as const;

/** Root without a password prompt: all later steps and the node agent rely on it. */
export const sudo = defineStep<SudoSettings>({
  id: 'sudo',
  title: 'passwordless sudo',
  disturbs: 'nothing',
  timeout: minutes(1),

  async inspect(host, { user }) {
    requireUserName(user);
    const path = sudoersPath(user);
    const [read, listed] = await Promise.all([
      host.query([...SUDO, '-n', '/bin/cat', path]),
      host.query(['/bin/ls', '-ldn', path]),
    ]);
    const trouble = sudoFailure(read);
    if (trouble === 'broken') return drift(`sudo fails for every command: ${sudoersError(read)}`);
    const text = read.exitCode === 0 ? read.stdout : undefined;
    return drift(
      sudoDifferences(user, { asksForPassword: trouble !== undefined, info: fileInfoFrom(listed.stdout), text }),
    );
  },

  async change(host, { user, password }) {
    requireUserName(user);
    const [asked, lock] = await Promise.all([host.query([...SUDO, '-n', '/usr/bin/true']), readLockState(host, user)]);
    if (sudoFailure(asked) !== 'password needed') {
      requireGranted(host, user, await host.run([...SUDO, '-n', ...grant(user)]));
      return [`wrote ${sudoersPath(user)}`];
    }
    // No guesses: every wrong attempt counts towards a lockout (I34).
    if (password === undefined) throw HOST_SUDO_NEEDED({ address: host.address });
    const stdin = passwordLine(password);
    assertUnlocked(host, user, lock);
    // One command does everything, so that the password is used once.
    requireGranted(host, user, await host.run([...SUDO, '-S', '-p', '', ...grant(user)], { stdin }));
    return [`wrote ${sudoersPath(user)}, using the password once`];
  },
});

const grant = (user: string): string[] => [
  '/bin/sh',
  '-c',
  loadScript('sudo-grant'),
  'sudo-grant',
  sudoersPath(user),
  sudoersRule(user),
];

function requireGranted({ address }: HostView, user: string, ran: HostCommandResult): void {
  if (ran.exitCode === 0) return;
  switch (sudoFailure(ran)) {
    case 'password wrong':
      throw HOST_SUDO_PASSWORD_WRONG({ user, address });
    case 'not allowed':
      throw HOST_SUDO_NOT_ALLOWED({ user, address });
    case 'broken':
      throw HOST_SUDO_BROKEN({ address, why: sudoersError(ran) });
    case 'password needed':
      throw HOST_SUDO_NEEDED({ address });
    case undefined:
      throw scriptFailure({ address }, { command: 'sudo-grant', path: sudoersPath(user) }, ran);
  }
}

/** State of the sudoers file, as far as it is visible without root. */
interface SudoState {
  readonly asksForPassword: boolean;
  readonly info: FileInfo | undefined;
  /** Undefined if it is not readable. */
  readonly text: string | undefined;
}

const MODE = 0o440;

function sudoDifferences(user: string, { asksForPassword, info, text }: SudoState): string[] {
  const path = sudoersPath(user);
  const asks = asksForPassword ? [`sudo asks ${user} for a password, expected none`] : [];
  if (info === undefined) return [...asks, `${path} is missing`];
  const kind = info.kind === 'file' ? [] : [`${path} is a ${info.kind}, expected a file`];
  const mode = info.mode === MODE ? [] : [`${path} has mode ${octal(info.mode)}, expected ${octal(MODE)}`];
  const ours = info.uid === 0 && info.gid === 0;
  const owner = ours ? [] : [`${path} belongs to ${info.uid}:${info.gid}, expected root:wheel`];
  const same = text === undefined || text === `${sudoersRule(user)}\n`;
  return [...asks, ...kind, ...mode, ...owner, ...(same ? [] : [`${path} contains another rule`])];
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

/** Anything else could have a meaning in sudoers: `ALL`, `%group`, `#uid`, a second rule after a newline. */
const SHORT_NAME = /^[a-z_][a-z0-9_.-]*$/;

/** Throws unless it is a valid account name. */
export function requireUserName(user: string): void {
  if (!SHORT_NAME.test(user)) throw HOST_USER_NAME_INVALID({ user: JSON.stringify(user) });
}

/** sudo ignores files with a dot in their name, so dots in the user name are replaced. */
export const sudoersPath = (user: string): string => `/etc/sudoers.d/${user.replaceAll('.', '_')}-nopasswd`;

const sudoersRule = (user: string): string => `${user} ALL=(ALL) NOPASSWD: ALL`;
