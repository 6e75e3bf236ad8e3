import type { Program, Run } from '../mac.ts';
import { bootOut, bootstrap } from './bootstrap.ts';
import { asUser, bootOutCommand, bootstrapCommand, enableCommand, kickstart, killCommand } from './control.ts';
import { type DomainName, LaunchdError, launchdOf } from './launchd.ts';
import { blame, list, print, printDisabled, sessionName } from './report.ts';

/**
 * `launchctl load [-w] <plist>`: the legacy interface takes no domain and uses the caller's. An SSH session is not the
 * session at the screen, so it cannot load an agent (I24; S3).
 */
function legacyLoad(run: Run, words: readonly string[]): number {
  const paths = words.filter(word => !word.startsWith('-'));
  if (paths.length === 0) {
    run.err('Usage: launchctl load [-wF] [-S sessiontype] [-D searchpath] <service-path>\n');
    return 64;
  }
  const domain = callersDomain(run);
  for (const path of paths) {
    try {
      if (domain === undefined) throw new LaunchdError(5);
      if (!run.mac.files.exists(run.user, path)) return missing(run, path);
      bootstrap(run.mac, { domain, path, byHand: true });
    } catch (error) {
      if (!(error instanceof LaunchdError)) throw error;
      run.err(`Load failed: ${error.code}: ${error.message}\n`);
      run.err('Try running `launchctl bootstrap` as root for richer errors.\n');
      return error.code;
    }
  }
  return 0;
}

/** `launchctl unload [-w] <plist>`; a job that is not loaded has its own error message. */
function legacyUnload(run: Run, words: readonly string[]): number {
  const domain = callersDomain(run);
  for (const path of words.filter(word => !word.startsWith('-'))) {
    const job = [...launchdOf(run.mac).jobs.values()].find(one => one.domain === domain && one.path === path);
    if (!job || job.leaving) {
      run.err('Unload failed: 5: Input/output error\nTry running `launchctl bootout` as root for richer errors.\n');
      return 5;
    }
    bootOut(run.mac, job);
  }
  return 0;
}

/** Undefined if the caller's session has no domain that accepts agents. */
function callersDomain(run: Run): DomainName | undefined {
  if (run.user.uid === 0) return 'system';
  return run.session === 'aqua' ? `gui/${run.user.uid}` : undefined;
}

function missing(run: Run, path: string): number {
  run.err(`${path}: No such file or directory\n`);
  return 2;
}

type Subcommand = (run: Run, words: readonly string[]) => Promise<number> | number;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  bootstrap: bootstrapCommand,
  bootout: bootOutCommand,
  kickstart,
  asuser: asUser,
  kill: killCommand,
  enable: (run, words) => enableCommand(run, words, true),
  disable: (run, words) => enableCommand(run, words, false),
  print,
  'print-disabled': printDisabled,
  list,
  blame,
  managername: sessionName,
  load: legacyLoad,
  unload: legacyUnload,
};

/** Simulates /bin/launchctl. */
export const launchctl: Program = async run => {
  const [, name = '', ...words] = run.argv;
  const subcommand = SUBCOMMANDS[name];
  if (!subcommand) {
    if (name !== '') run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `launchctl ${name}`);
    run.err(
      `${name === '' ? '' : `Unrecognized subcommand: ${name}\n`}Usage: launchctl <subcommand> ... | help [subcommand]\n`,
    );
    return 64;
  }
  try {
    return await subcommand(run, words);
  } catch (error) {
    if (!(error instanceof LaunchdError)) throw error;
    run.err(`${error.message}\n`);
    return error.code;
  }
};
