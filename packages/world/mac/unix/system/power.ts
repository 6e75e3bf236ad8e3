import type { Mac } from '../../mac.ts';
import type { Program } from '../../program.ts';
import { refuseForm } from '../options.ts';

const KEY = Symbol('power');

/** Derived: a mini sleeps its display after ten minutes and itself after one when nobody changed it. */
const STOCK: Readonly<Record<string, string>> = {
  sleep: '1',
  displaysleep: '10',
  disksleep: '10',
  womp: '1',
  autorestart: '0',
  powernap: '1',
  networkoversleep: '0',
  ttyskeepawake: '1',
};

/** Power settings; they are kept over a reboot. */
export const powerOf = (mac: Mac): Map<string, string> => mac.state(KEY, () => new Map(Object.entries(STOCK)));

export const pmset: Program = run => {
  const [, action, ...rest] = run.argv;
  const settings = powerOf(run.mac);
  if (action === '-g') {
    if (rest[0] !== undefined && rest[0] !== 'custom' && rest[0] !== 'live') return refuseForm(run);
    run.out(rest[0] === 'custom' ? 'AC Power:\n' : 'System-wide power settings:\nCurrently in use:\n');
    for (const [name, value] of settings) run.out(` ${name.padEnd(20)} ${value}\n`);
    return 0;
  }
  if (action !== '-a' && action !== '-c') return refuseForm(run);
  if (run.user.uid !== 0) {
    run.out("'pmset' must be run as root...\n");
    return 1;
  }
  for (let at = 0; at < rest.length; at += 2) {
    const [name = '', value] = rest.slice(at, at + 2);
    if (!(name in STOCK) || value === undefined || !/^\d+$/.test(value))
      return refuseForm(run, 'Usage: pmset <options>');
    settings.set(name, value);
  }
  return 0;
};
