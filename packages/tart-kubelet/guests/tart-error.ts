/** Maps Tart's exit codes and messages to error kinds; no other file knows them (facts 10.2). */
import { CataloguedError, type ErrorDefinition } from '@minifleet/errors';
import { printable } from './printable.ts';

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

const TEXT = 'tart {command}: {message}';
const definition = (reason: string, retry: ErrorDefinition['retry'] = 'backoff'): ErrorDefinition => ({
  retry,
  reason,
  text: TEXT,
});

/** Reason and retry policy of each kind. */
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
  /** Undefined if a signal ended the call, or it never ran. */
  readonly exitCode: number | undefined;

  constructor(kind: TartErrorKind, failure: TartFailure, options: { readonly cause?: unknown } = {}) {
    const code = `TART_${kind.toUpperCase().replaceAll(' ', '_')}`;
    super({ code, ...TART_ERRORS[kind] }, `tart ${failure.command}: ${printable(failure.message)}`, options);
    this.kind = kind;
    this.exitCode = failure.exitCode;
  }
}

interface TartFailure {
  /** `clone`, `run`, …: without arguments, which may be long. */
  readonly command: string;
  readonly message: string;
  readonly exitCode?: number | undefined;
}

export const isTartError = (error: unknown, kind: TartErrorKind): error is TartError =>
  error instanceof TartError && error.kind === kind;

/** Classifies a failed call. */
export const tartErrorOf = (failure: TartFailure): TartError => new TartError(kindOf(failure.message), failure);

/** The first match counts. Registry responses come before "does not exist", which a body may quote. */
const MESSAGE_KINDS: readonly (readonly [RegExp, TartErrorKind])[] = [
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

const kindOf = (words: string): TartErrorKind => MESSAGE_KINDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
