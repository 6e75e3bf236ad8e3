import { parseArgs } from 'node:util';
import type { Mac, MacPart, Program, Run, SessionType, User } from '../mac.ts';

interface KeychainItem {
  readonly kind: 'generic' | 'internet';
  /** Service of a generic password, server of an internet password. */
  readonly where: string;
  readonly account: string;
  readonly password: string;
}

interface Keychain {
  /** True if `security unlock-keychain` succeeded since the last boot or lock. */
  unlocked: boolean;
  items: KeychainItem[];
}

const KEY = Symbol('keychain');

const keychainOf = (mac: Mac): Keychain => mac.state(KEY, () => ({ unlocked: false, items: [] }));

/** Secrets are readable and writable, or the system would have to show a prompt that no user can answer. */
type KeychainAccess = 'allowed' | 'interaction not allowed';

/** errSecInteractionNotAllowed (-25308): the message of tools, and the exit code of `security`. */
const INTERACTION_NOT_ALLOWED = {
  message: 'User interaction is not allowed.',
  code: -25308,
  exitCode: 36,
} as const;

/**
 * Neither an SSH session nor an agent or daemon of launchd can show the system's prompt, so a locked keychain fails
 * immediately (I25; S3). The automatic login does not help: it unlocks only for programs started at the screen.
 */
function keychainAccess(mac: Mac, _who: { readonly session: SessionType; readonly user: User }): KeychainAccess {
  return keychainOf(mac).unlocked ? 'allowed' : 'interaction not allowed';
}

/** Stores a secret like `tart login` and `security add-…-password -U` do. */
export function storePassword(
  mac: Mac,
  who: { readonly session: SessionType; readonly user: User },
  item: KeychainItem,
): KeychainAccess {
  const access = keychainAccess(mac, who);
  if (access !== 'allowed') return access;
  const keychain = keychainOf(mac);
  keychain.items = [...keychain.items.filter(other => !sameItem(item, other)), item];
  return access;
}

const sameItem = (one: KeychainItem, other: KeychainItem): boolean =>
  one.kind === other.kind && one.where === other.where && one.account === other.account;

/** Simulates /usr/bin/security for passwords and the login keychain. */
const security: Program = async run => {
  const [, command = '', ...words] = run.argv;
  const kind = command.includes('internet') ? 'internet' : 'generic';
  switch (command) {
    case 'unlock-keychain':
      return unlock(run, words);
    case 'lock-keychain':
      keychainOf(run.mac).unlocked = false;
      return 0;
    case 'find-generic-password':
    case 'find-internet-password':
      return find(run, kind, words);
    case 'add-generic-password':
    case 'add-internet-password':
      return add(run, kind, words);
    case 'delete-generic-password':
    case 'delete-internet-password':
      return remove(run, kind, words);
    case 'default-keychain':
    case 'login-keychain':
      run.out(`    "${run.user.home}/Library/Keychains/login.keychain-db"\n`);
      return 0;
    case 'list-keychains':
      run.out(`    "${run.user.home}/Library/Keychains/login.keychain-db"\n    "/Library/Keychains/System.keychain"\n`);
      return 0;
    default:
      run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `security ${command}`);
      run.err(`security: unknown command "${command}"\n`);
      return 2;
  }
};

/** Without -p, the command asks for the password; without a terminal, it reads standard input (derived). */
async function unlock(run: Run, words: readonly string[]): Promise<number> {
  const { password } = options(words);
  const given = password ?? (await run.readStdin()).toString().split('\n')[0] ?? '';
  if (given !== run.mac.options.password) {
    run.err('security: SecKeychainUnlock <NULL>: The user name or passphrase you entered is not correct.\n');
    return 51;
  }
  keychainOf(run.mac).unlocked = true;
  return 0;
}

function find(run: Run, kind: KeychainItem['kind'], words: readonly string[]): number {
  const asked = options(words);
  const item = matching(run, kind, asked);
  if (!item) return missing(run);
  if (asked.shows && keychainAccess(run.mac, run) !== 'allowed') return refused(run, 'SecKeychainItemCopyContent');
  if (asked.shows) run.out(`${item.password}\n`);
  else
    run.out(
      `keychain: "${run.user.home}/Library/Keychains/login.keychain-db"\nattributes:\n    "acct"<blob>="${item.account}"\n`,
    );
  return 0;
}

function add(run: Run, kind: KeychainItem['kind'], words: readonly string[]): number {
  const { where = '', account = '', secret = '', updates } = options(words);
  const item = { kind, where, account, password: secret };
  if (keychainAccess(run.mac, run) !== 'allowed') return refused(run, 'SecKeychainItemCreateFromContent (<default>)');
  if (!updates && keychainOf(run.mac).items.some(other => sameItem(item, other))) {
    run.err(
      'security: SecKeychainItemCreateFromContent (<default>): The specified item already exists in the keychain.\n',
    );
    return 45;
  }
  storePassword(run.mac, run, item);
  return 0;
}

function remove(run: Run, kind: KeychainItem['kind'], words: readonly string[]): number {
  const item = matching(run, kind, options(words));
  if (!item) return missing(run);
  if (keychainAccess(run.mac, run) !== 'allowed') return refused(run, 'SecKeychainItemDelete');
  const keychain = keychainOf(run.mac);
  keychain.items = keychain.items.filter(other => other !== item);
  run.err('password has been deleted.\n');
  return 0;
}

interface SecurityArguments {
  readonly where?: string;
  readonly account?: string;
  readonly password?: string;
  readonly secret?: string;
  readonly updates: boolean;
  readonly shows: boolean;
}

function options(words: readonly string[]): SecurityArguments {
  // `-w` has a value only for the add commands.
  const bare = words.at(-1) === '-w' || words.some((word, index) => word === '-w' && words[index + 1]?.startsWith('-'));
  const { values } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    options: {
      where: { type: 'string', short: 's' },
      account: { type: 'string', short: 'a' },
      password: { type: 'string', short: 'p' },
      secret: { type: bare ? 'boolean' : 'string', short: 'w' },
      updates: { type: 'boolean', short: 'U' },
      shows: { type: 'boolean', short: 'g' },
    },
  });
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const [where, account, password, secret] = [
    values['where'],
    values['account'],
    values['password'],
    values['secret'],
  ].map(text);
  return {
    ...(where === undefined ? {} : { where }),
    ...(account === undefined ? {} : { account }),
    ...(password === undefined ? {} : { password }),
    ...(secret === undefined ? {} : { secret }),
    updates: values['updates'] === true,
    shows: values['shows'] === true || values['secret'] !== undefined,
  };
}

const matching = (run: Run, kind: KeychainItem['kind'], asked: SecurityArguments): KeychainItem | undefined =>
  keychainOf(run.mac).items.find(
    item =>
      item.kind === kind &&
      (asked.where === undefined || asked.where === item.where) &&
      (asked.account === undefined || asked.account === item.account),
  );

function missing(run: Run): number {
  run.err('security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n');
  return 44;
}

function refused(run: Run, call: string): number {
  run.err(`security: ${call}: ${INTERACTION_NOT_ALLOWED.message}\n`);
  return INTERACTION_NOT_ALLOWED.exitCode;
}

/** The login keychain, which is locked again at each boot. */
export const keychainPart: MacPart = mac => {
  mac.onBoot(() => {
    keychainOf(mac).unlocked = false;
  });
  return { programs: { '/usr/bin/security': security } };
};
