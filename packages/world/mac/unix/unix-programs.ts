import type { Programs } from '../mac.ts';
import { gzip, tar } from './archive/tar.ts';
import { awk } from './awk.ts';
import { cmp, diff } from './compare.ts';
import { cp, mv, rm, rmdir } from './copy.ts';
import { find } from './find.ts';
import { grep } from './grep.ts';
import { base64, md5, shasum, xxd } from './hash.ts';
import { env, nohup, printenv, which, xargs } from './launch.ts';
import { ls, stat } from './ls.ts';
import { ln, mkdir, mktemp, touch } from './make.ts';
import { curl, nc } from './network/curl.ts';
import { chmod, chown, install } from './ownership.ts';
import { defaults } from './preferences/defaults.ts';
import { plutil } from './preferences/plutil.ts';
import { kill, killall, pgrep, pkill, ps } from './processes.ts';
import { sed } from './sed/sed.ts';
import { visudo } from './sudo/read-sudoers.ts';
import { sudo } from './sudo/sudo.ts';
import { dscl, python3, softwareupdate, xcodebuild, xcodeSelect, xcrun } from './system/apple.ts';
import { df, du, ifconfig, ioreg, swVers, sysctl } from './system/hardware.ts';
import { memoryPressure, vmStat } from './system/memory.ts';
import { groups, hostname, id, scutil, uname, whoami } from './system/names.ts';
import { basename, dirname, echo, fail, logger, printf, readlink, realpath, succeed, test } from './system/plain.ts';
import { date, pmset, reboot, sleep, sync, uptime } from './system/time.ts';
import { cat, cut, head, sort, tail, tee, tr, uniq, wc } from './text.ts';

const bin: Programs = {
  cat,
  chmod,
  cp,
  date,
  df,
  echo,
  hostname,
  kill,
  ln,
  ls,
  mkdir,
  mv,
  ps,
  realpath,
  rm,
  rmdir,
  sleep,
  sync,
  test,
  '[': test,
};

const usrBin: Programs = {
  awk,
  base64,
  basename,
  cmp,
  curl,
  cut,
  defaults,
  diff,
  dirname,
  dscl,
  du,
  env,
  find,
  grep,
  egrep: grep,
  groups,
  gunzip: gzip,
  gzip,
  zcat: gzip,
  head,
  id,
  install,
  killall,
  logger,
  mktemp,
  nc,
  nohup,
  pgrep,
  pkill,
  plutil,
  pmset,
  printenv,
  printf,
  python3,
  readlink,
  sed,
  shasum,
  sort,
  stat,
  sudo,
  tail,
  tar,
  tee,
  touch,
  tr,
  true: succeed,
  false: fail,
  uname,
  uniq,
  uptime,
  wc,
  which,
  whoami,
  xargs,
  xxd,
  sw_vers: swVers,
  vm_stat: vmStat,
  memory_pressure: memoryPressure,
  'xcode-select': xcodeSelect,
  xcodebuild,
  xcrun,
  chgrp: chown,
};

const usrSbin: Programs = { chown, ioreg, scutil, softwareupdate, sysctl, visudo };

const sbin: Programs = { ifconfig, md5, reboot, shutdown: reboot };

const within = (directory: string, programs: Programs): Programs =>
  Object.fromEntries(Object.entries(programs).map(([name, program]) => [`${directory}/${name}`, program]));

/** Ordinary commands at their macOS paths. */
export const unixPrograms: Programs = {
  ...within('/bin', bin),
  ...within('/usr/bin', usrBin),
  ...within('/usr/sbin', usrSbin),
  ...within('/sbin', sbin),
};
