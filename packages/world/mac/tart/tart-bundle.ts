import { machO } from '../code-signing/mach-o.ts';
import { tarball } from '../unix/archive/tarball.ts';

export const TART_VERSION = '2.32.1';

/** What the part recognises a Tart binary by, wherever it was put. */
const MARK = 'minifleet-world tart ';

export const tartBinary = (version = TART_VERSION): Buffer => machO(`${MARK}${version}`);

/** Undefined when it is no Tart. */
export function versionIn(binary: Buffer): string | undefined {
  const at = binary.indexOf(MARK);
  return at < 0 ? undefined : /^[\w.-]+/.exec(binary.subarray(at + MARK.length, at + 64).toString('latin1'))?.[0];
}

/** The files of upstream's `tart.tar.gz`, as far as anyone looks at them: the whole bundle, not the bare binary. */
export const tartBundle = (version = TART_VERSION): Readonly<Record<string, Buffer | string>> => ({
  'tart.app/Contents/MacOS/tart': tartBinary(version),
  'tart.app/Contents/Info.plist': `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.github.cirruslabs.tart</string><key>CFBundleShortVersionString</key><string>${version}</string></dict></plist>
`,
});

/** Upstream's `tart.tar.gz`. */
export const tartArchive = (version = TART_VERSION): Buffer => tarball(tartBundle(version));
