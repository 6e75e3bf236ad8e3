import { styleText } from 'node:util';
import type { CliOutput } from '../context.ts';

/** Text colours. Without a terminal the text is unchanged. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
}

type TextStyle = Parameters<typeof styleText>[0];

const styled =
  (style: TextStyle) =>
  (text: string): string =>
    text === '' ? '' : styleText(style, text, { validateStream: false });

const plain = (text: string): string => text;

const coloured: Paint = {
  good: styled('green'),
  bad: styled('red'),
  doubtful: styled('yellow'),
  quiet: styled('dim'),
  strong: styled('bold'),
};

export const unpainted: Paint = { good: plain, bad: plain, doubtful: plain, quiet: plain, strong: plain };

/** Returns colours only for a terminal, and not if `NO_COLOR` is set. */
export const paintFor = (output: CliOutput, colours: boolean): Paint =>
  colours && output.isTTY === true ? coloured : unpainted;
