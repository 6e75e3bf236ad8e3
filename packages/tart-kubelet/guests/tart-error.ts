/** What Tart's exit codes and words mean; the only file that knows them (facts 10.2). */
import { CataloguedError, type ErrorDefinition } from '@minifleet/errors';
import { plainWords } from './printable.ts';

export type TartErrorKind =
  | 'not found'
  | 'exists'
  | 'already running'
  | 'not running'
  | 'limit'
  | 'no session'
  | 'keychain'
  | 'no space'
  | 'not allowed'
  | 'network'
  | 'damaged'
  | 'timed out'
  | 'aborted'
  | 'unreadable'
  | 'not installed'
  | 'other';

const TEXT = 'tart {command}: {words}';
const definition = (reason: string, retry: ErrorDefinition['retry'] = 'backoff'): ErrorDefinition => ({
  retry,
  reason,
  text: TEXT,
});

/** How each kind is told, and what it asks of whoever tries again. */
const TART_ERRORS: Readonly<Record<TartErrorKind, ErrorDefinition>> = {
  'not found': definition('TartNotFound'),
  exists: definition('TartNameTaken'),
  'already running': definition('TartAlreadyRunning'),
  'not running': definition('TartNotRunning'),
  limit: definition('VMLimitReached'),
  'no session': definition('NoGUISession'),
  keychain: definition('KeychainLocked'),
  'no space': definition('NoDiskSpace'),
  'not allowed': definition('RegistryAccessDenied'),
  network: definition('RegistryUnreachable'),
  damaged: definition('VMDamaged'),
  'timed out': definition('TartTimedOut'),
  aborted: definition('TartAborted'),
  unreadable: definition('TartUnreadable'),
  'not installed': definition('TartNotInstalled', 'operator'),
  other: definition('TartFailed'),
};

export class TartError extends CataloguedError {
  readonly kind: TartErrorKind;
  /** Undefined when a signal ended it, or it never ran. */
  readonly exitCode: number | undefined;

  constructor(kind: TartErrorKind, said: TartWords, options: { readonly cause?: unknown } = {}) {
    const code = `TART_${kind.toUpperCase().replaceAll(' ', '_')}`;
    super({ code, ...TART_ERRORS[kind] }, `tart ${said.command}: ${plainWords(said.words)}`, options);
    this.kind = kind;
    this.exitCode = said.exitCode;
  }
}

interface TartWords {
  /** `clone`, `run`, …: never the arguments, which may be long. */
  readonly command: string;
  readonly words: string;
  readonly exitCode?: number | undefined;
}

export const isTartError = (error: unknown, kind: TartErrorKind): error is TartError =>
  error instanceof TartError && error.kind === kind;

/** The error a failed call stands for. */
export const tartErrorOf = (said: TartWords): TartError => new TartError(kindOf(said.words), said);

/** Tried in order: the first that fits. Registry answers come before "does not exist", which a body may quote. */
const WORDS: readonly (readonly [RegExp, TartErrorKind])[] = [
  [/UnexpectedHTTPStatusCode\(.*code: 404\b/s, 'not found'],
  [/UnexpectedHTTPStatusCode\(.*code: 40[13]\b|AuthFailed\(|invalid credentials/s, 'not allowed'],
  [/UnexpectedHTTPStatusCode\(.*code: (5\d\d|429)\b/s, 'network'],
  [/is already running!|VM ".*" is running\s*$/, 'already running'],
  [/VM ".*" is not running/, 'not running'],
  [/exceeds the system limit/, 'limit'],
  [/VZErrorDomain Code=-9\b|Failed to create new HostKey/, 'no session'],
  [
    /VZErrorDomain Code=1 "The virtual machine failed to start|User interaction is not allowed|Keychain .*-25308/,
    'keychain',
  ],
  [
    /isn[’']t enough space|No space left on device|not enough (disk )?space|database or disk is full|NSFileWriteOutOfSpaceError/i,
    'no space',
  ],
  [/missing some of its files/, 'damaged'],
  [/the specified VM ".*" does not exist/, 'not found'],
  [
    /could not connect to the server|specified hostname could not be found|TLS error|network connection was lost|request timed out|appears to be offline|NSURLErrorDomain/i,
    'network',
  ],
];

const kindOf = (words: string): TartErrorKind => WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
