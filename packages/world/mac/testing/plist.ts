/** Returns an XML property list of the given values without escaping, as written by hand. */
export function plist(keys: Readonly<Record<string, unknown>>): string {
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ' +
    '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';
  return `${head}<plist version="1.0">\n${element(keys)}\n</plist>\n`;
}

function element(value: unknown): string {
  if (typeof value === 'string') return `<string>${value}</string>`;
  if (typeof value === 'number') return `<integer>${value}</integer>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (Array.isArray(value)) return `<array>${value.map(element).join('')}</array>`;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return `<dict>${entries.map(([key, entry]) => `<key>${key}</key>${element(entry)}`).join('\n')}</dict>`;
}
