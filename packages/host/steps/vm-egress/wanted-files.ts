import type { FilePlace } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { checkWant } from './check-want.ts';
import { LOADER, RULES_FILE } from './places.ts';
import { renderRules, tablesOf } from './render-rules.ts';
import type { VmEgressWant } from './want.ts';

export interface WantedFile {
  readonly place: FilePlace;
  readonly text: string;
}

/** What shall lie on the host and be loaded there. */
export interface Wanted {
  readonly rules: WantedFile;
  readonly loader: WantedFile;
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** Throws HOST_EGRESS_INVALID before any host is touched. */
export function wantedOf(want: VmEgressWant): Wanted {
  const egress = checkWant(want);
  return {
    rules: { place: { path: RULES_FILE, mode: 0o644, owner: 'root:wheel' }, text: renderRules(egress) },
    loader: { place: { path: LOADER, mode: 0o755, owner: 'root:wheel' }, text: loadScript('vm-egress-load') },
    tables: tablesOf(egress),
  };
}
