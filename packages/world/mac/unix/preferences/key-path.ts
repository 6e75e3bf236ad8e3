import { isDictionary, PlistError, type PlistValue } from './property-list.ts';

/** `a.b.0`: a dot in a key is written with a backslash. */
const namesOf = (path: string): string[] => path.split(/(?<!\\)\./).map(name => name.replaceAll('\\.', '.'));

export function getAt(value: PlistValue, path: string): PlistValue | undefined {
  let current: PlistValue | undefined = value;
  for (const name of namesOf(path))
    current = Array.isArray(current) ? current[Number(name)] : isDictionary(current) ? current[name] : undefined;
  return current;
}

/** A copy with the value at the path replaced, added, or left out when undefined. */
export function setAt(value: PlistValue, path: string, change: PlistValue | undefined): PlistValue {
  return setIn(value, namesOf(path), change);
}

function setIn(value: PlistValue, [name, ...rest]: readonly string[], change: PlistValue | undefined): PlistValue {
  if (name === undefined) return change ?? value;
  if (Array.isArray(value)) return setInArray(value, Number(name), { rest, change });
  if (!isDictionary(value)) throw new PlistError(`Could not modify plist, error: no value at key path ${name}`);
  const { [name]: before, ...others } = value;
  if (rest.length > 0) return { ...value, [name]: setIn(before ?? {}, rest, change) };
  return change === undefined ? others : { ...value, [name]: change };
}

interface Below {
  readonly rest: readonly string[];
  readonly change: PlistValue | undefined;
}

function setInArray(value: readonly PlistValue[], index: number, { rest, change }: Below): PlistValue {
  if (rest.length === 0) return change === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, change);
  return value.toSpliced(index, 1, setIn(value[index] ?? {}, rest, change));
}
