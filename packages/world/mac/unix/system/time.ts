import { pause, seconds } from '@minifleet/clock';
import type { Mac, Program } from '../../mac.ts';
import { parseOptions, refuseForm } from '../getopt.ts';

const KEY = Symbol('power');

/** Derived: by default, a mini turns its display off after ten minutes and sleeps after one. */
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

/** Power settings, which survive a reboot. */
const powerOf = (mac: Mac): Map<string, string> => mac.state(KEY, () => new Map(Object.entries(STOCK)));

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

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (number: number): string => String(number).padStart(2, '0');

/** strftime in UTC, the time zone of the vendor's machines, which also makes tests independent of the local one. */
function strftime(format: string, time: number): string {
  const date = new Date(time);
  const values: Readonly<Record<string, string>> = {
    s: String(Math.floor(time / 1_000)),
    Y: String(date.getUTCFullYear()),
    m: two(date.getUTCMonth() + 1),
    d: two(date.getUTCDate()),
    e: String(date.getUTCDate()).padStart(2),
    H: two(date.getUTCHours()),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
    a: DAYS[date.getUTCDay()] ?? '',
    b: MONTHS[date.getUTCMonth()] ?? '',
    Z: 'UTC',
    z: '+0000',
    n: '\n',
    '%': '%',
    F: date.toISOString().slice(0, 10),
    T: date.toISOString().slice(11, 19),
  };
  return format.replace(/%([a-zA-Z%])/g, (whole, letter: string) => values[letter] ?? whole);
}

export const date: Program = run => {
  const options = parseOptions(run, { letters: 'ujr:v:f:', usage: 'date [-jnRu] [+output_fmt]' });
  if (typeof options === 'number') return options;
  if (options.has('v') || options.has('f')) return refuseForm(run);
  const [format = '+%a %b %e %T %Z %Y'] = options.operands;
  if (!format.startsWith('+')) return refuseForm(run);
  const time = options.has('r') ? Number(options.value('r')) * 1_000 : run.mac.around.clock.now();
  run.out(`${strftime(format.slice(1), time)}\n`);
  return 0;
};

export const sleep: Program = async run => {
  const words = run.argv.slice(1);
  const total = words.reduce(
    (sum, word) => sum + Number.parseFloat(word) * ({ m: 60, h: 3_600, d: 86_400 }[word.slice(-1)] ?? 1),
    0,
  );
  if (words.length === 0 || Number.isNaN(total)) {
    run.err('usage: sleep number[unit] [...]\n');
    return 1;
  }
  await pause(run.mac.around.clock, seconds(total), run.signal);
  return run.signal.aborted ? 143 : 0;
};

export const uptime: Program = run => {
  const minutes = Math.floor(run.mac.uptime / 60_000);
  run.out(
    `${strftime('%H:%M', run.mac.around.clock.now())}  up ${minutes} mins, 1 user, load averages: 1.00 1.00 1.00\n`,
  );
  return 0;
};

export const sync: Program = () => 0;

/** The Mac shuts down shortly after the command has exited, as with `shutdown -r now`. */
export const reboot: Program = run => {
  if (run.user.uid !== 0) {
    run.err(`${run.argv[0] ?? 'reboot'}: Operation not permitted\n`);
    return 1;
  }
  const [name = ''] = run.argv;
  if (name.endsWith('shutdown') && run.argv[1] !== '-r') return refuseForm(run);
  run.mac.around.clock.after(seconds(1), () => void run.mac.reboot());
  return 0;
};
