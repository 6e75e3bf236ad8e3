import { setVariable } from '../parameters.ts';
import { type Builtin, unmodelledFlag } from './call.ts';

/** `read [-r] [-s] [name…]`: the last name takes the rest of the line. */
export const read: Builtin = async call => {
  const { state, streams } = call.scope;
  const words = call.argv.slice(1);
  while (words[0]?.startsWith('-')) {
    const flag = words.shift() ?? '';
    if (!/^-[rs]+$/.test(flag)) return unmodelledFlag(call, flag);
  }
  const names = words.length > 0 ? words : ['REPLY'];
  const line = await streams.stdin.readLine();
  let rest = (line ?? '').trim();
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const [first = ''] = rest.split(/[ \t]+/, 1);
    setVariable(state, name, last ? rest : first);
    rest = rest.slice(first.length).trimStart();
  }
  return line === undefined ? 1 : 0;
};
