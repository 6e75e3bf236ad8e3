import { errorMessage } from '../files/file-system.ts';
import type { Program } from '../mac.ts';
import { targetsOf } from './copy.ts';
import { nameOf, parseOptions, refuseForm } from './getopt.ts';
import { readMode } from './ownership.ts';
import { forEachPath, resolve, statOf } from './paths.ts';

export const mkdir: Program = run => {
  const options = parseOptions(run, {
    letters: 'pvm:',
    usage: 'mkdir [-pv] [-m mode] directory_name ...',
    usageCode: 64,
  });
  if (typeof options === 'number') return options;
  const mode = readMode(options.value('m'), 0o777);
  return forEachPath(run, options.operands, path => {
    const existed = statOf(run, path);
    run.mac.files.makeDirectory(run.user, path, { parents: options.has('p') });
    if (mode !== undefined && options.has('m') && !existed) run.mac.files.chmod(run.user, path, mode);
  });
};

const TOUCH =
  'touch [-A [-][[hh]mm]SS] [-achm] [-r file] [-t [[CC]YY]MMDDhhmm[.SS]] [-d YYYY-MM-DDThh:mm:SS[.frac][tz]] file ...';

/** touch: now or `-t`. `-h` affects a link itself and never creates a file. */
export const touch: Program = run => {
  const options = parseOptions(run, { letters: 'acmhr:t:d:', usage: TOUCH });
  if (typeof options === 'number') return options;
  if (['r', 'd'].some(letter => options.has(letter))) return refuseForm(run);
  const time = timeOf(options.value('t'), run.mac.around.clock.now());
  if (time === undefined) {
    run.err('touch: out of range or illegal time specification: [[CC]YY]MMDDhhmm[.SS]\n');
    return 1;
  }
  const followLinks = !options.has('h');
  return forEachPath(run, options.operands, path => {
    if (!statOf(run, path, followLinks)) {
      if (options.has('c') || !followLinks) return;
      run.mac.files.write(run.user, path, '');
    }
    run.mac.files.setModified(run.user, path, time, { followLinks });
  });
};

/** `[[CC]YY]MMDDhhmm[.SS]` in UTC, the time zone of these Macs. Years from 69 are in the 20th century. */
function timeOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return now;
  const [, year = '', month, day, hour, minute, second = 0] =
    /^((?:\d\d){0,2})(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text) ?? [];
  if (month === undefined) return undefined;
  const century = Number(year) >= 69 ? 1900 : 2000;
  const full = year.length === 4 ? Number(year) : year === '' ? new Date(now).getUTCFullYear() : century + Number(year);
  return Date.UTC(full, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

export const ln: Program = run => {
  const options = parseOptions(run, {
    letters: 'sfhnFv',
    usage: 'ln [-s [-F] | -L | -P] [-f | -i] [-hnv] source_file [target_file]',
  });
  if (typeof options === 'number') return options;
  // Hard links are not modelled, because no caller needs them.
  if (!options.has('s')) return refuseForm(run);
  const replaces =
    options.has('f') &&
    (options.has('h') || options.has('n')) &&
    statOf(run, options.operands.at(-1) ?? '', false)?.type === 'link';
  const targets = replaces
    ? [{ from: options.operands[0] ?? '', to: options.operands[1] ?? '' }]
    : targetsOf(run, options.operands);
  let failed = 0;
  for (const { from, to } of targets ?? []) {
    try {
      if (options.has('f') && statOf(run, to, false)) run.mac.files.remove(run.user, resolve(run, to));
      run.mac.files.link(run.user, from, resolve(run, to));
    } catch (error) {
      run.err(`${nameOf(run)}: ${to}: ${errorMessage(error)}\n`);
      failed = 1;
    }
  }
  return failed;
};

export const mktemp: Program = run => {
  const options = parseOptions(run, {
    letters: 'dqt:u',
    usage: 'mktemp [-d] [-p tmpdir] [-q] [-t prefix] [-u] template ...',
  });
  if (typeof options === 'number') return options;
  const [template] = options.operands;
  // Derived: without a template, macOS uses the user's own folder below /var/folders; here /tmp.
  const pattern = template ?? `/tmp/${options.value('t') ?? 'tmp'}.XXXXXXXXXX`;
  const path = pattern.replace(/X+$/, letters => run.mac.around.chance.hex(letters.length));
  try {
    if (options.has('d')) run.mac.files.makeDirectory(run.user, resolve(run, path), { mode: 0o700 });
    else run.mac.files.write(run.user, resolve(run, path), '', { mode: 0o600 });
  } catch (error) {
    run.err(`mktemp: mk${options.has('d') ? 'd' : 's'}temp failed on ${path}: ${errorMessage(error)}\n`);
    return 1;
  }
  run.out(`${path}\n`);
  return 0;
};
