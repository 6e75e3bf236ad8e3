import { createHash } from 'node:crypto';
import { contentHash } from '../files/content.ts';
import type { Program } from '../mac.ts';
import { parseOptions, refuseForm } from './getopt.ts';
import { readOperands } from './paths.ts';

export const shasum: Program = async run => {
  const options = parseOptions(run, { letters: 'a:bcs', permute: true, usage: 'shasum [OPTION]... [FILE]...' });
  if (typeof options === 'number') return options;
  const algorithm = options.value('a') ?? '1';
  if (options.has('c') || !['1', '256', '384', '512'].includes(algorithm)) return refuseForm(run);
  const { texts, failed } = await readOperands(run, options.operands);
  for (const { path, content } of texts) {
    const hash =
      algorithm === '256' ? contentHash(content) : createHash(`sha${algorithm}`).update(content).digest('hex');
    run.out(`${hash}  ${path ?? '-'}\n`);
  }
  return failed ? 1 : 0;
};

export const md5: Program = async run => {
  const options = parseOptions(run, { letters: 'qr' });
  if (typeof options === 'number') return options;
  const { texts, failed } = await readOperands(run, options.operands);
  for (const { path, content } of texts) {
    const hash = createHash('md5').update(content).digest('hex');
    run.out(
      path === undefined || options.has('q')
        ? `${hash}\n`
        : options.has('r')
          ? `${hash} ${path}\n`
          : `MD5 (${path}) = ${hash}\n`,
    );
  }
  return failed ? 1 : 0;
};

export const base64: Program = async run => {
  const options = parseOptions(run, {
    letters: 'dDb:i:o:',
    long: { decode: 'd' },
    usage: 'base64 [-Ddh] [-b num] [-i in_file] [-o out_file]',
  });
  if (typeof options === 'number') return options;
  if (options.has('o')) return refuseForm(run);
  const { texts, failed } = await readOperands(run, options.has('i') ? [options.value('i') ?? ''] : options.operands);
  const [first] = texts;
  if (failed || !first) return 1;
  if (options.has('d') || options.has('D')) run.out(Buffer.from(first.content.toString(), 'base64'));
  else run.out(`${wrap(first.content.toString('base64'), Number(options.value('b') ?? 0))}\n`);
  return 0;
};

const wrap = (text: string, width: number): string =>
  width > 0 ? (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n') : text;

/** xxd -p [-r] [-l n]: only the plain form. */
export const xxd: Program = async run => {
  const options = parseOptions(run, { letters: 'prl:c:' });
  if (typeof options === 'number') return options;
  if (!options.has('p')) return refuseForm(run);
  const { texts, failed } = await readOperands(run, options.operands);
  const [first] = texts;
  if (failed || !first) return 1;
  if (options.has('r')) run.out(Buffer.from(first.content.toString().replace(/\s/g, ''), 'hex'));
  else {
    const bytes = options.has('l') ? first.content.subarray(0, Number(options.value('l'))) : first.content;
    run.out(`${wrap(bytes.toString('hex'), 2 * Number(options.value('c') ?? 30))}\n`);
  }
  return 0;
};
