/** Value of a property list; keys without a value are left out. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly PropertyValue[]
  | { readonly [key: string]: PropertyValue | undefined };

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ' +
  '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';

/** Renders an XML property list. Keys are sorted: equal values give equal bytes, and then nothing is reloaded. */
export const renderPropertyList = (value: PropertyValue): string =>
  `${HEAD}<plist version="1.0">\n${element(value, '')}</plist>\n`;

function element(value: PropertyValue, indent: string): string {
  if (typeof value === 'string') return `${indent}<string>${escaped(value)}</string>\n`;
  if (typeof value === 'number') return `${indent}<integer>${Math.trunc(value)}</integer>\n`;
  if (typeof value === 'boolean') return `${indent}<${value}/>\n`;
  const inner = isArray(value)
    ? value.map(entry => element(entry, `${indent}\t`))
    : Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .flatMap(([key, entry]) =>
          entry === undefined ? [] : [`${indent}\t<key>${escaped(key)}</key>\n`, element(entry, `${indent}\t`)],
        );
  const name = isArray(value) ? 'array' : 'dict';
  return inner.length === 0 ? `${indent}<${name}/>\n` : `${indent}<${name}>\n${inner.join('')}${indent}</${name}>\n`;
}

const isArray = (value: PropertyValue): value is readonly PropertyValue[] => Array.isArray(value);

// An unescaped argument such as `a&b` makes launchd reject the whole file (109).
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
