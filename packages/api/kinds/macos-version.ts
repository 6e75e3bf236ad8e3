/** Orders versions by their dotted parts, oldest first. A part with a suffix comes before the bare one: 26.7-beta, then 26.7. */
export function compareMacosVersions(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareParts(left[index] ?? '0', right[index] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  const byNumber = numberOf(a) - numberOf(b);
  if (byNumber !== 0) return byNumber;
  const [suffixA, suffixB] = [suffixOf(a), suffixOf(b)];
  if (suffixA === suffixB) return 0;
  if (suffixA === '') return 1;
  if (suffixB === '') return -1;
  return suffixA < suffixB ? -1 : 1;
}

function numberOf(part: string): number {
  return Number.parseInt(part, 10) || 0;
}

function suffixOf(part: string): string {
  return part.replace(/^[0-9]*/, '');
}
