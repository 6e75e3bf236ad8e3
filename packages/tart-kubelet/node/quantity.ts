const UNITS = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Bytes as the API server writes them back: the largest binary unit that divides them, in whole Ki. */
export function byteQuantity(bytes: number): string {
  let count = Math.floor(bytes / 1024);
  if (count === 0) return '0';
  let unit = 0;
  while (count % 1024 === 0 && unit < UNITS.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${count}${UNITS[unit]}`;
}
