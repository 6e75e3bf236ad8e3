import { cdhashOf, isBinary } from '../code-signing/mach-o.ts';
import type { Mac } from '../mac.ts';
import { root } from '../user.ts';
import { type Job, launchdOf } from './launchd.ts';

/**
 * macOS may hold a daemon to the code it ran before: the first start of another ad-hoc signed build is then killed with
 * `OS_REASON_CODESIGNING`, and the next start is held to the new one. A daemon that is bootstrapped anew is held to
 * nothing. Told of in public reports on macOS 26; off unless `settings.pinsPrograms`.
 */
export function violatesConstraint(mac: Mac, { definition }: Job): boolean {
  const { settings, pinned } = launchdOf(mac);
  const hash = settings.pinsPrograms ? hashOf(mac, definition.program) : undefined;
  if (hash === undefined) return false;
  const before = pinned.get(definition.label);
  pinned.set(definition.label, hash);
  return before !== undefined && before !== hash;
}

/** Scripts and what is part of the system are not held to anything here. */
function hashOf(mac: Mac, program: string): string | undefined {
  if (!mac.files.exists(root, program)) return undefined;
  const content = mac.files.read(root, program);
  return isBinary(content) ? cdhashOf(content) : undefined;
}
