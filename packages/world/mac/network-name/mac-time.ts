import type { Mac, Program } from '../mac.ts';

interface ClockSkew {
  /** Milliseconds by which this Mac's clock is ahead of the world's. */
  ahead: number;
}

const KEY = Symbol('clock skew');

export const skewOf = (mac: Mac): ClockSkew => mac.state(KEY, () => ({ ahead: 0 }));

/** Time on this Mac's clock, as it appears in its certificate requests and logs. */
export const macTime = (mac: Mac): number => mac.around.clock.now() + skewOf(mac).ahead;

/** Runs a program with this Mac's clock in place of the world's. */
export const onOwnTime =
  (program: Program): Program =>
  run => {
    const { clock } = run.mac.around;
    const own = { ...clock, now: () => macTime(run.mac), after: clock.after.bind(clock), random: () => clock.random() };
    const mac: Mac = Object.create(run.mac, { around: { value: { ...run.mac.around, clock: own } } });
    return program({ ...run, mac });
  };

/** Simulates /usr/bin/sntp: queries the offset, and with -S sets the clock. The end of the line is derived. */
export const sntp: Program = run => {
  const words = run.argv.slice(1);
  const server = words.find(word => !word.startsWith('-'));
  const flags = words.filter(word => word.startsWith('-')).join('');
  if (server === undefined || /[^-sSd]/.test(flags)) {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, run.argv.join(' '));
    run.err('usage: sntp [-sSd] server\n');
    return 64;
  }
  const skew = skewOf(run.mac);
  const offset = -skew.ahead / 1_000;
  if (/[sS]/.test(flags)) {
    if (run.user.uid !== 0) {
      run.err('sntp: settimeofday: Operation not permitted\n');
      return 1;
    }
    skew.ahead = 0;
  }
  run.out(`${offset < 0 ? '' : '+'}${offset.toFixed(6)} +/- 0.012345 ${server} 17.253.14.125\n`);
  return 0;
};
