import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, foreignFailure, UsageFailure } from '../failure.ts';

/** One `--dir [name:]path[:ro,tag=…]`. */
export interface Share {
  readonly name: string | undefined;
  readonly path: string;
  readonly readOnly: boolean;
  readonly tag: string | undefined;
}

const OPTIONS = /^(ro|tag=[^,]*)(,(ro|tag=[^,]*))*$/;

/** An unknown suffix such as `:rw` is taken as part of the path, which then does not exist (facts 2.8). */
export function parseShare(text: string, home: string): Share {
  const parts = text.split(':');
  const options = parts.length > 1 && OPTIONS.test(parts.at(-1) ?? '') ? (parts.pop() ?? '').split(',') : [];
  const name = parts.length > 1 ? parts.shift() : undefined;
  const path = parts.join(':');
  if (path === '') throw new UsageFailure(`invalid --dir option: "${text}"`);
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
    throw new Failure('invalid --dir option: all directories should be named when more than one is shared');
  }
  const missing = shares.find(share => !existsSync(share.path));
  // VZ refuses the configuration (derived).
  if (missing) {
    throw foreignFailure(
      `Error Domain=VZErrorDomain Code=2 "A directory sharing device configuration is invalid." UserInfo={NSLocalizedFailure=Invalid virtual machine configuration., NSLocalizedFailureReason=The directory “${missing.path}” doesn’t exist.}`,
    );
  }
  return shares;
}
