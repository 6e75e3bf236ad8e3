import type { Mac, Program } from '../../mac.ts';

import { parseOptions, refuseForm } from '../getopt.ts';

const PAGE = 16_384;
const STOCK_MEMORY = 17_179_869_184;
/** Memory that macOS itself uses on an idle mini. */
const STOCK_USED = 5_000_000_000;

/** Memory use. A test sets the usage of guests and the pressure level, which the real kernel decides itself. */
interface MemoryUse {
  usedBytes: number;
  /** Values of `kern.memorystatus_vm_pressure_level`: normal, warning, critical. */
  pressure: 1 | 2 | 4;
}

const KEY = Symbol('memory');

export const memoryOf = (mac: Mac): MemoryUse => mac.state(KEY, () => ({ usedBytes: STOCK_USED, pressure: 1 }));

export const memorySize = (mac: Mac): number => mac.options.memoryBytes ?? STOCK_MEMORY;

/**
 * /usr/bin/vm_stat: pages since boot. Apart from the four usage figures, the values are those of an idle Mac (derived).
 */
export const vmStat: Program = run => {
  if (run.argv.length > 1) return refuseForm(run);
  const { usedBytes } = memoryOf(run.mac);
  const pages = Math.floor(memorySize(run.mac) / PAGE);
  const used = Math.min(pages, Math.ceil(usedBytes / PAGE));
  const [wired, active] = [Math.floor(used / 3), used - Math.floor(used / 3)];
  const inactive = Math.floor((pages - used) / 3);
  const rows: readonly (readonly [string, number])[] = [
    ['Pages free', pages - used - inactive],
    ['Pages active', active],
    ['Pages inactive', inactive],
    ['Pages speculative', 0],
    ['Pages throttled', 0],
    ['Pages wired down', wired],
    ['Pages purgeable', 0],
    ['"Translation faults"', 1_000_000],
    ['Pages copy-on-write', 100_000],
    ['Pages zero filled', 500_000],
    ['Pages reactivated', 0],
    ['Pages purged', 0],
    ['File-backed pages', inactive],
    ['Anonymous pages', active],
    ['Pages stored in compressor', 0],
    ['Pages occupied by compressor', 0],
    ['Decompressions', 0],
    ['Compressions', 0],
    ['Pageins', 100_000],
    ['Pageouts', 0],
    ['Swapins', 0],
    ['Swapouts', 0],
  ];
  run.out(`Mach Virtual Memory Statistics: (page size of ${PAGE} bytes)\n`);
  for (const [name, count] of rows) run.out(`${`${name}:`.padEnd(30)}${`${count}.`.padStart(16)}\n`);
  return 0;
};

/** /usr/bin/memory_pressure -Q: only the quiet form; without it, the command applies memory pressure. */
export const memoryPressure: Program = run => {
  const options = parseOptions(run, { letters: 'Q', usage: 'memory_pressure [-Q]' });
  if (typeof options === 'number') return options;
  if (!options.has('Q')) return refuseForm(run);
  const total = memorySize(run.mac);
  const free = Math.floor((100 * (total - Math.min(total, memoryOf(run.mac).usedBytes))) / total);
  run.out(`\nThe system has ${total} (${Math.floor(total / PAGE)} pages with a page size of ${PAGE}).\n`);
  run.out(`System-wide memory free percentage: ${free}%\n`);
  return 0;
};
