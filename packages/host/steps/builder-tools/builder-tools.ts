import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { drift, type StepDefinition } from '../../engine/step.ts';
import type { Host, HostView } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import { BREW, PREFIX } from '../homebrew/homebrew.ts';
import { VM_WORKLOAD } from '../tart/tart.ts';
import {
  type Formula,
  isOlder,
  type Kegs,
  kegOf,
  readKegs,
  readOffered,
  removalOf,
  type ToolAction,
  toolActions,
} from './formulae.ts';

export const HOST_HOMEBREW_MISSING = defineError('HOST_HOMEBREW_MISSING', {
  retry: 'backoff',
  reason: 'HostHomebrewMissing',
  text: '{address}: Homebrew is missing, cannot install {formulae}; run the step homebrew first',
});

export const HOST_FORMULA_UNAVAILABLE = defineError('HOST_FORMULA_UNAVAILABLE', {
  retry: 'untilSpecChanges',
  reason: 'HostFormulaUnavailable',
  text: '{address}: {formula} {desired} or later is unavailable (Homebrew offers {offered}, installed is {installed}); set the version in the fleet file to what Homebrew offers; nothing was changed',
});

export const HOST_TOOLS_IN_USE = defineError('HOST_TOOLS_IN_USE', {
  retry: { after: minutes(5) },
  reason: 'HostToolsInUse',
  text: '{address}: a bake started after the inspection and uses the tools to be replaced; it is not interrupted, the tools are replaced when it finishes',
});

interface BuilderToolsSettings {
  readonly formulae: readonly Formula[];
}

/** In Homebrew's directory, which its user may write. */
const RECORD = `${PREFIX}/etc/minifleet-builder-tools`;

/** Homebrew tools for bakes, at least in the desired versions. Pinned tools keep their version when other tools are upgraded. */
export const builderTools = {
  id: 'builder-tools',
  title: 'tools for baking images',
  // A bake calls Packer repeatedly: replacing it ends the bake.
  disturbs: 'running VMs',
  timeout: minutes(30),
  async inspect(host, want) {
    const [kegs, inUse] = await Promise.all([readHost(host), isInUse(host)]);
    if (!kegs) return drift(`Homebrew is missing, cannot install ${namesOf(want.formulae)}`, 'nothing');
    const actions = toolActions(kegs, want.formulae);
    const disturbs = inUse ? 'running VMs' : 'new VMs';
    return drift(
      actions.map(({ words }) => words),
      takesAway(actions) ? disturbs : 'nothing',
    );
  },
  async change(host, want, finding) {
    const { address } = host;
    const [kegs, inUse] = await Promise.all([readHost(host), isInUse(host)]);
    if (!kegs) throw HOST_HOMEBREW_MISSING({ address, formulae: namesOf(want.formulae) });
    const actions = toolActions(kegs, want.formulae);
    // The caller allowed the disturbance of the bake that was found, not of one started since.
    const allowed = finding.state === 'drift' && finding.disturbs === 'running VMs';
    if (inUse && takesAway(actions) && !allowed) throw HOST_TOOLS_IN_USE({ address });
    await checkOffered(host, { kegs, actions, want });
    await runActions(host, actions);
    return actions.flatMap(({ action, words }) => (action === 'install' || action === 'pin' ? [] : [words]));
  },
  removal: {
    async inspect(host) {
      return drift(removals(await readHost(host)).map(({ words }) => words));
    },
    async change(host) {
      const actions = removals(await readHost(host));
      await runActions(host, actions);
      return actions.map(({ action, formula }) => `${action === 'unpin' ? 'unpinned' : 'uninstalled'} ${formula}`);
    },
  },
} satisfies StepDefinition<BuilderToolsSettings>;

const takesAway = (actions: readonly ToolAction[]): boolean =>
  actions.some(({ action }) => action === 'upgrade' || action === 'uninstall');

const isInUse = async (host: HostView): Promise<boolean> =>
  (await host.query(['/usr/bin/pgrep', '-f', VM_WORKLOAD])).exitCode === 0;

const namesOf = (formulae: readonly Formula[]): string => formulae.map(kegOf).join(', ');

/** Undefined if Homebrew is missing. */
async function readHost(host: HostView): Promise<Kegs | undefined> {
  const [versions, pinned, record] = await Promise.all([
    host.query([BREW, 'list', '--versions', '--formula']),
    host.query([BREW, 'list', '--pinned', '--formula']),
    host.readText(RECORD),
  ]);
  if (versions.exitCode !== 0) return undefined;
  return readKegs({ versions: versions.stdout, pinned: pinned.stdout, record: record ?? '' });
}

/** Uninstalls only what Minifleet installed, and unpins only what Minifleet pinned. */
function removals(kegs: Kegs | undefined): ToolAction[] {
  if (!kegs) return [];
  const brought = [...kegs.installedByUs].filter(name => kegs.versions.has(name));
  const pinned = [...kegs.pinnedByUs].filter(name => kegs.pinned.has(name) && !brought.includes(name));
  return [
    ...brought.map(name => ({ ...removalOf(name), words: `${name} is installed by Minifleet, expected removal` })),
    ...pinned.map(
      (formula): ToolAction => ({
        action: 'unpin',
        formula,
        words: `${formula} is pinned by Minifleet, expected unpinned`,
      }),
    ),
  ];
}

interface FormulaChange {
  readonly kegs: Kegs;
  readonly actions: readonly ToolAction[];
  readonly want: BuilderToolsSettings;
}

/** A tap offers one version of a formula. Checks that it is new enough before anything is changed. */
async function checkOffered(host: Host, { kegs, actions, want }: FormulaChange): Promise<void> {
  const poured = new Set(actions.flatMap(({ action, formula }) => (/^install|^upgrade/.test(action) ? [formula] : [])));
  if (poured.size === 0) return;
  const argv = ['/bin/sh', '-c', loadScript('offered-formulae'), 'offered-formulae', ...poured] as const;
  const offered = readOffered(await host.must(argv, { timeout: minutes(5) }));
  for (const formula of want.formulae) {
    const { name, version } = formula;
    const now = offered.get(kegOf(formula));
    if (!poured.has(name) || version === undefined || (now !== undefined && !isOlder(now, version))) continue;
    throw HOST_FORMULA_UNAVAILABLE({
      formula: kegOf(formula),
      desired: version,
      offered: now ?? 'none',
      installed: kegs.versions.get(kegOf(formula))?.join(' and ') ?? 'none',
      address: host.address,
    });
  }
}

async function runActions(host: Host, actions: readonly ToolAction[]): Promise<void> {
  const words = actions.flatMap(({ action, formula }) => [action, formula]);
  await host.must(['/bin/sh', '-c', loadScript('pour-formulae'), 'pour-formulae', RECORD, ...words], {
    timeout: minutes(20),
  });
}
