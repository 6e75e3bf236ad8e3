import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GuestBehaviour } from '../host/host-file.ts';
import { foreignFailure, TartFailure, TartUsageFailure } from '../tart-call.ts';

const SHARED = 'Volumes/My Shared Files';
/** A command in the guest writes `halt` or `restart` here. */
export const POWER_FILE = '.power';

/** Prepares the guest's file system for a boot. Files from earlier boots stay, as on a disk. */
export function prepareGuestFiles(root: string, behaviour: GuestBehaviour, shares: readonly Share[]): void {
  for (const path of ['Users/admin', 'tmp', 'var/log', 'Volumes', 'bin', 'sbin', 'usr/bin']) {
    mkdirSync(join(root, path), { recursive: true });
  }
  rmSync(join(root, POWER_FILE), { force: true });
  linkShares(root, shares);
  for (const [path, script] of Object.entries(programs(behaviour))) {
    writeFileSync(join(root, path), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, path), 0o755);
  }
  for (const [path, text] of Object.entries(behaviour.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), leadIntoGuest(root, text));
  }
}

/**
 * Symbolic links in place of virtiofs: a write on one side is immediately visible on the other. Read-only is not
 * enforced.
 */
function linkShares(root: string, shares: readonly Share[]): void {
  const mount = join(root, SHARED);
  rmSync(mount, { recursive: true, force: true });
  const [only] = shares;
  if (shares.length === 1 && only && only.name === undefined) {
    symlinkSync(only.path, mount);
    return;
  }
  mkdirSync(mount, { recursive: true });
  for (const share of shares) if (share.name !== undefined) symlinkSync(share.path, join(mount, share.name));
}

/** The few macOS commands for which the host's own must not run. */
const programs = (behaviour: GuestBehaviour): Record<string, string> => ({
  'sbin/shutdown': `case "$1" in -r) echo restart;; *) echo halt;; esac > "$GUEST_ROOT/${POWER_FILE}"`,
  'sbin/halt': `echo halt > "$GUEST_ROOT/${POWER_FILE}"`,
  'sbin/reboot': `echo restart > "$GUEST_ROOT/${POWER_FILE}"`,
  'usr/bin/sudo': [
    'while :; do case "$1" in -u) shift 2;; -*) shift;; *) break;; esac; done',
    'if [ -x "$GUEST_ROOT$1" ]; then program="$GUEST_ROOT$1"; shift; exec "$program" "$@"; fi',
    'exec "$@"',
  ].join('\n'),
  'usr/bin/sw_vers': [
    'case "$1" in -productName|--productName) echo macOS;; -productVersion|--productVersion) echo 26.3;; -buildVersion|--buildVersion) echo 25D125;;',
    '*) printf "ProductName:\\t\\tmacOS\\nProductVersion:\\t\\t26.3\\nBuildVersion:\\t\\t25D125\\n";; esac',
  ].join('\n'),
  // Only `nc <host> <port>`, in Perl, because not every Linux has nc and macOS always does.
  'usr/bin/nc': `exec perl -MIO::Socket::INET -e '${NETCAT}' "$@"`,
  'bin/df': [
    'echo "Filesystem     1024-blocks      Used Available Capacity iused      ifree %iused  Mounted on"',
    `echo "/dev/disk3s1s1   ${BLOCKS}  ${used(behaviour)}  ${BLOCKS - used(behaviour)}    ${behaviour.diskUsedPercent ?? 20}%  453000 4291000000    0%   /"`,
  ].join('\n'),
});

const NETCAT = [
  'my $far = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1]) or exit 1; my $input = 1;',
  'while (1) { my $set = ""; vec($set, fileno($far), 1) = 1; vec($set, 0, 1) = 1 if $input; select($set, undef, undef, undef);',
  'if (vec($set, fileno($far), 1)) { sysread($far, my $data, 65536) or exit 0; syswrite(STDOUT, $data) }',
  'if ($input && vec($set, 0, 1)) { if (sysread(STDIN, my $data, 65536)) { syswrite($far, $data) } else { $input = 0; shutdown($far, 1) } } }',
].join(' ');

const BLOCKS = 97_656_250;
const used = (behaviour: GuestBehaviour): number => Math.floor((BLOCKS * (behaviour.diskUsedPercent ?? 20)) / 100);

/**
 * Rewrites a path of the guest in an argument or a script, at any depth, to a path in its file system. In particular,
 * `/sbin/shutdown` must never be the host's.
 */
const LED =
  /(?<![\w./-])(\/Volumes\/My Shared Files|\/Users\/admin(?![\w.-])|\/sbin\/(?:shutdown|halt|reboot)|\/usr\/bin\/sudo)/g;

const leadIntoGuest = (root: string, text: string): string => text.replaceAll(LED, path => `${root}${path}`);

export function guestArgv(root: string, argv: readonly string[]): string[] {
  const [program = '', ...rest] = argv.map(word => leadIntoGuest(root, word));
  const own = join(root, program);
  return [program.startsWith('/') && existsSync(own) ? own : program, ...rest];
}

interface GuestHost {
  readonly hostPath: string;
  readonly speed: number;
}

export const guestEnvironment = (root: string, { hostPath, speed }: GuestHost): Record<string, string> => ({
  PATH: `${root}/usr/bin:${root}/bin:${root}/sbin:${hostPath}`,
  HOME: join(root, 'Users/admin'),
  USER: 'admin',
  LOGNAME: 'admin',
  SHELL: '/bin/zsh',
  TMPDIR: join(root, 'tmp'),
  GUEST_ROOT: root,
  // Speed of the world's clock, for the world's own programs in the guest.
  GUEST_SPEED: `${speed}`,
});

/** One `--dir [name:]path[:ro,tag=…]`. */
export interface Share {
  readonly name: string | undefined;
  readonly path: string;
  readonly readOnly: boolean;
  readonly tag: string | undefined;
}

const OPTIONS = /^(ro|tag=[^,]*)(,(ro|tag=[^,]*))*$/;

/** An unknown suffix such as `:rw` becomes part of the path, which then does not exist (facts 2.8). */
export function parseShare(text: string, home: string): Share {
  const parts = text.split(':');
  const options = parts.length > 1 && OPTIONS.test(parts.at(-1) ?? '') ? (parts.pop() ?? '').split(',') : [];
  const name = parts.length > 1 ? parts.shift() : undefined;
  const path = parts.join(':');
  if (path === '') throw new TartUsageFailure(`invalid --dir option: "${text}"`);
  return {
    name,
    path: resolve(path.replace(/^~(?=\/|$)/, home)),
    readOnly: options.includes('ro'),
    tag: options.find(option => option.startsWith('tag='))?.slice('tag='.length),
  };
}

export function parseShares(texts: readonly string[], home: string): Share[] {
  const shares = texts.map(text => parseShare(text, home));
  if (shares.length > 1 && shares.some(share => share.name === undefined)) {
    throw new TartFailure('invalid --dir option: all directories should be named when more than one is shared');
  }
  const missing = shares.find(share => !existsSync(share.path));
  // VZ rejects the configuration (derived).
  if (missing) {
    throw foreignFailure(
      `Error Domain=VZErrorDomain Code=2 "A directory sharing device configuration is invalid." UserInfo={NSLocalizedFailure=Invalid virtual machine configuration., NSLocalizedFailureReason=The directory “${missing.path}” doesn’t exist.}`,
    );
  }
  return shares;
}
