import { type Duration, minutes } from '@minifleet/clock';
import { InvalidArgumentError } from 'commander';

/** An option that is a number of minutes. */
export function asMinutes(text: string): Duration {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('write a number of minutes, for example 30');
  return minutes(Number(text));
}
