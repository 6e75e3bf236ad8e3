/** Every value `pmset -g custom` shows for a setting: one for each source of power the Mac may run on. */
export function powerSettings(text: string): ReadonlyMap<string, readonly number[]> {
  const settings = new Map<string, number[]>();
  for (const [, name = '', value] of text.matchAll(/^ +(\w+) +(\d+)\b/gm))
    settings.set(name, [...(settings.get(name) ?? []), Number(value)]);
  return settings;
}
