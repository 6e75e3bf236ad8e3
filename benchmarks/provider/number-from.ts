/** Reads a positive number from the command line. `what` is its unit, for the error message. */
export function numberFrom(word: string, what: string): number {
  if (!/^[1-9]\d*$/.test(word)) throw new Error(`"${word}" is not a number of ${what}`);
  return Number(word);
}
