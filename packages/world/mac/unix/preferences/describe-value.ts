import { isDictionary, type PlistValue } from './property-list.ts';

const quoted = (text: string): string => (/^[A-Za-z0-9_.]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`);

/** The old-style text `defaults read` prints: booleans are 1 and 0, a lone string is not quoted. */
export function describeValue(value: PlistValue, indent = '', inner = false): string {
  if (typeof value === 'string') return inner ? quoted(value) : value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (Buffer.isBuffer(value)) return `{length = ${value.length}, bytes = 0x${value.toString('hex')}}`;
  if (value instanceof Date) return value.toISOString();
  const deeper = `${indent}    `;
  if (isDictionary(value)) {
    const lines = Object.keys(value)
      .sort()
      .map(key => `${deeper}${quoted(key)} = ${describeValue(value[key] ?? '', deeper, true)};\n`);
    return `{\n${lines.join('')}${indent}}`;
  }
  return `(\n${value.map(item => `${deeper}${describeValue(item, deeper, true)}`).join(',\n')}\n${indent})`;
}

/** The text `plutil -p` prints. */
export function printValue(value: PlistValue, indent = ''): string {
  const deeper = `${indent}  `;
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value))
    return `[\n${value.map((item, index) => `${deeper}${index} => ${printValue(item, deeper)}\n`).join('')}${indent}]`;
  if (isDictionary(value))
    return `{\n${Object.keys(value)
      .sort()
      .map(key => `${deeper}"${key}" => ${printValue(value[key] ?? '', deeper)}\n`)
      .join('')}${indent}}`;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return describeValue(value, indent, true);
}
