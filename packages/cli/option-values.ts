/** Parsers for option values. Their errors give an example. */
import { type Duration, parseDuration } from '@minifleet/clock';
import { InvalidArgumentError } from 'commander';

export const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('use a whole number, for example 12');
  return Number(text);
};

export const positiveNumber = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('use a number above 0, for example 60');
  return Number(text);
};

export const duration = (text: string): Duration => {
  const parsed = parseDuration(text);
  if (!parsed) throw new InvalidArgumentError('use a duration such as 90s, 30m or 1h');
  return parsed;
};
