import { minutes } from '@minifleet/clock';
import { STATE_FOLDER } from '../../engine/lease.ts';
import { defineStep, drift } from '../../engine/step.ts';
import { loadScript } from '../../load-script.ts';

/** With the macOS defaults each of these ends the GUI session after some idle time, and then no VM starts. */
const POWER: Readonly<Record<string, string>> = {
  sleep: 'the Mac sleeps',
  displaysleep: 'the display sleeps',
  disksleep: 'the disk sleeps',
};

interface Preference {
  readonly domain: string;
  readonly key: string;
  readonly meaning: string;
}

const PREFERENCES: readonly Preference[] = [
  {
    domain: '/Library/Preferences/com.apple.screensaver',
    key: 'idleTime',
    meaning: 'screen saver idle time',
  },
  {
    domain: '/Library/Preferences/com.apple.screensaver',
    key: 'askForPassword',
    meaning: 'screen saver password prompt',
  },
  {
    domain: '/Library/Preferences/.GlobalPreferences',
    key: 'com.apple.autologout.AutoLogOutDelay',
    meaning: 'automatic logout delay',
  },
];

/** Settings of the Mac before, restored when it leaves. */
const RECORD = `${STATE_FOLDER}/before-sleep`;

/** No settings. */
type NeverSleepSettings = Readonly<Record<string, never>>;

/** A host that never sleeps, locks its screen or logs its user out. */
export const neverSleep = defineStep<NeverSleepSettings>({
  id: 'never-sleep',
  title: 'no sleep, lock or logout',
  disturbs: 'nothing',
  timeout: minutes(1),

  async inspect(host) {
    const [power, ...preferences] = await Promise.all([
      host.query(['/usr/bin/pmset', '-g', 'custom']),
      ...PREFERENCES.map(({ domain, key }) => host.query(['/usr/bin/defaults', 'read', domain, key], { root: true })),
    ]);
    const values = preferences.map(({ exitCode, stdout }) => (exitCode === 0 ? stdout.trim() : undefined));
    return drift([...powerDifferences(power.stdout), ...preferenceDifferences(values)]);
  },

  async change(host) {
    await host.must(['/bin/sh', '-c', loadScript('never-sleep'), 'never-sleep', RECORD], { root: true });
    return [];
  },
});

function powerDifferences(text: string): string[] {
  const settings = powerSettings(text);
  return Object.entries(POWER).flatMap(([name, what]) => {
    const values = settings.get(name);
    if (values === undefined) return [`pmset does not report when ${what}, expected never`];
    const waits = values.filter(value => value !== 0);
    return waits.length === 0 ? [] : [`${what} after ${waits.join(' and ')} min, expected never`];
  });
}

const preferenceDifferences = (values: readonly (string | undefined)[]): string[] =>
  PREFERENCES.flatMap(({ meaning }, index) => {
    const value = values[index];
    return value === '0' ? [] : [`${meaning} is ${value ?? 'not set'}, expected 0`];
  });

/** All values that `pmset -g custom` shows for a setting: one for each power source. */
export function powerSettings(text: string): ReadonlyMap<string, readonly number[]> {
  const settings = new Map<string, number[]>();
  for (const [, name = '', value] of text.matchAll(/^ +(\w+) +(\d+)\b/gm))
    settings.set(name, [...(settings.get(name) ?? []), Number(value)]);
  return settings;
}
