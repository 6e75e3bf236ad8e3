import type { Mac } from '../mac.ts';
import type { Program } from '../program.ts';
import { m1, root } from '../user.ts';

export const PREFIX = '/opt/homebrew';

export interface Formula {
  readonly name: string;
  /** Its tap, when it is not in Homebrew itself. Packer is not, since its licence changed (S3). */
  readonly tap?: string;
  /** What the tap offers now; a test moves it on to make an upgrade. */
  version: string;
  readonly program: (version: string) => Program;
}

interface Homebrew {
  readonly taps: Set<string>;
  readonly formulae: Map<string, Formula>;
  readonly installed: Map<string, { version: string; pinned: boolean }>;
}

const KEY = Symbol('homebrew');

export const homebrewOf = (mac: Mac): Homebrew =>
  mac.state(KEY, () => ({ taps: new Set<string>(), formulae: new Map(), installed: new Map() }));

/** What the installer does in the end. It belongs to the person who ran it: brew refuses to run as root. */
export function installHomebrew(mac: Mac, brew: Program): void {
  for (const folder of [PREFIX, `${PREFIX}/bin`, `${PREFIX}/Cellar`, `${PREFIX}/etc`, `${PREFIX}/var`]) {
    mac.files.makeDirectory(root, folder, { parents: true });
    mac.files.chown(root, folder, m1.uid, m1.gid);
  }
  mac.install(`${PREFIX}/bin/brew`, brew);
}

/** Pours a version. The file is new and so is its signature: whatever was granted to the old one is gone (I26; S3). */
export function pour(mac: Mac, formula: Formula): void {
  const { installed } = homebrewOf(mac);
  const path = `${PREFIX}/bin/${formula.name}`;
  mac.install(path, formula.program(formula.version));
  installed.set(formula.name, { version: formula.version, pinned: installed.get(formula.name)?.pinned ?? false });
  mac.around.journal.add(`mac/${mac.options.name}`, 'brew pour', `${formula.name} ${formula.version}`);
}

/** Takes a formula away, its program with it. */
export function pourOut(mac: Mac, name: string): void {
  homebrewOf(mac).installed.delete(name);
  mac.files.remove(root, `${PREFIX}/bin/${name}`);
  mac.around.journal.add(`mac/${mac.options.name}`, 'brew uninstall', name);
}
