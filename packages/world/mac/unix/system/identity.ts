import type { Program } from '../../program.ts';
import type { User } from '../../user.ts';
import { findUser, groupName, isAdministrator } from '../accounts.ts';
import { parseOptions } from '../options.ts';

const groupsOf = (user: User): number[] => [
  user.gid,
  ...(user.gid === 12 ? [] : [12]),
  ...(isAdministrator(user) && user.gid !== 80 ? [80] : []),
];

export const id: Program = run => {
  const options = parseOptions(run, { letters: 'ungGrpF', usage: 'id [user]' });
  if (typeof options === 'number') return options;
  const [name] = options.operands;
  const user = name === undefined ? run.user : findUser(name);
  if (!user) {
    run.err(`id: ${name ?? ''}: no such user\n`);
    return 1;
  }
  const named = options.has('n');
  const groups = groupsOf(user);
  if (options.has('u')) run.out(`${named ? user.name : user.uid}\n`);
  else if (options.has('g')) run.out(`${named ? groupName(user.gid) : user.gid}\n`);
  else if (options.has('G')) run.out(`${groups.map(gid => (named ? groupName(gid) : gid)).join(' ')}\n`);
  else {
    const list = groups.map(gid => `${gid}(${groupName(gid)})`).join(',');
    run.out(`uid=${user.uid}(${user.name}) gid=${user.gid}(${groupName(user.gid)}) groups=${list}\n`);
  }
  return 0;
};

export const whoami: Program = run => {
  run.out(`${run.user.name}\n`);
  return 0;
};

export const groups: Program = run => {
  run.out(`${groupsOf(run.user).map(groupName).join(' ')}\n`);
  return 0;
};
