import { badRequest } from '../server/refusal.ts';

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1` into a test of labels. */
export function parseLabelSelector(text: string | undefined): Requirement {
  const requirements = splitOutsideParentheses(text ?? '').map(parseRequirement);
  return labels => requirements.every(requirement => requirement(labels));
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === undefined || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  if (depth !== 0) throw badRequest("unable to parse requirement: found '', expected: ',', ')' or identifier");
  return parts.filter(part => part !== '');
}

const KEY = '([A-Za-z0-9][-A-Za-z0-9_./]*)';
const EXISTS = new RegExp(`^(!?)\\s*${KEY}$`);
const COMPARES = new RegExp(`^${KEY}\\s*(==|=|!=|<|>)\\s*([-A-Za-z0-9_.]*)$`);
const CONTAINS = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

function parseRequirement(text: string): Requirement {
  const [, not, present] = EXISTS.exec(text) ?? [];
  if (present !== undefined) return labels => Object.hasOwn(labels, present) === (not === '');
  const [, key, operator, value] = COMPARES.exec(text) ?? [];
  if (key !== undefined && value !== undefined) return comparison(key, operator ?? '', value);
  const [, member, inclusion, list] = CONTAINS.exec(text) ?? [];
  if (member === undefined) throw badRequest(`unable to parse requirement: cannot understand '${text}'`);
  const values = (list ?? '').split(',').map(entry => entry.trim());
  return labels => values.includes(labels[member] ?? absent) === (inclusion === 'in');
}

/** A string no label can be, so that an absent label is in no list but passes `notin` and `!=`. */
const absent = '\u0000';

function comparison(key: string, operator: string, value: string): Requirement {
  if (operator === '!=') return labels => labels[key] !== value;
  if (operator === '>') return labels => Number(labels[key]) > Number(value);
  if (operator === '<') return labels => Number(labels[key]) < Number(value);
  return labels => labels[key] === value;
}
